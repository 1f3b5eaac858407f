/** What the environment says about models, providers and logins. Names that are data are looked up elsewhere. */
import { join } from 'node:path';
import { type EnvProblem, filled, isOn, readNumber } from './env-values.ts';
import type { Proxies } from '../lib/proxies.ts';
import { userDirectory } from './home.ts';
import { proxyVariables } from './proxy-variables.ts';
import type { Variables } from './variables.ts';

/** All of it, read once. What is not set, or is not a number where one is meant, is undefined. */
export interface ModelVariables {
  /** `HERMES_INFERENCE_PROVIDER` */
  readonly provider: string | undefined;
  /** `HERMES_INFERENCE_MODEL` */
  readonly model: string | undefined;
  readonly timeouts: RequestTimeouts;
  /** `HERMES_OPENROUTER_CACHE` */
  readonly openRouterCache: boolean;
  /** `HERMES_OPENROUTER_CACHE_TTL`, in seconds. */
  readonly openRouterCacheTtl: number | undefined;
  /** `HERMES_DUMP_REQUESTS`: what is sent to models is written to files. */
  readonly dumpRequests: boolean;
  /** `HERMES_DUMP_REQUEST_STDOUT`: what is written to files is printed too. */
  readonly printRequests: boolean;
  readonly cloud: CloudLocation;
  readonly logins: LoginVariables;
  /** Proxies, and files of authorities as `trusts`. */
  readonly network: OutsideVariables;
  /** All of them, for names that a profile or the configuration holds (see `credentials/keys.ts`). */
  readonly named: Variables;
}

/** How the world outside is reached. */
export interface OutsideVariables {
  /** `HTTPS_PROXY`, `HTTP_PROXY`, `ALL_PROXY` for what these leave open, and `NO_PROXY`, in either case. */
  readonly proxies: Proxies;
  /** `HERMES_CA_BUNDLE`, `SSL_CERT_FILE`, `NODE_EXTRA_CA_CERTS`, `REQUESTS_CA_BUNDLE`, `CURL_CA_BUNDLE`: files of certificate authorities, those that are set. */
  readonly trusts: readonly string[];
}

/** Seconds. */
export interface RequestTimeouts {
  /** `HERMES_API_TIMEOUT`: a whole request. */
  readonly total: number | undefined;
  /** `HERMES_STREAM_READ_TIMEOUT`: silence of a stream's connection. */
  readonly read: number | undefined;
  /** `HERMES_STREAM_STALE_TIMEOUT`: a stream that brings nothing new. */
  readonly stale: number | undefined;
  /** `HERMES_LOCAL_STREAM_STALE_TIMEOUT`: as `stale`, for servers of one's own. */
  readonly staleLocal: number | undefined;
  /** `HERMES_API_CALL_STALE_TIMEOUT`: silence of a request that is not streamed. */
  readonly staleWhole: number | undefined;
  readonly codex: CodexTimeouts;
}

/** Seconds; 0 sets no limit. */
export interface CodexTimeouts {
  /** `HERMES_CODEX_TTFB_TIMEOUT_SECONDS`: until the first event of an answer. */
  readonly firstEvent?: number | undefined;
  /** `HERMES_CODEX_TTFB_MAX_SECONDS`: and never longer. */
  readonly firstEventMost?: number | undefined;
  /** `HERMES_CODEX_TTFB_DISABLE_ABOVE_TOKENS`: from this size on a request may wait longer for its first event. */
  readonly largeFrom?: number | undefined;
  /** `HERMES_CODEX_TTFB_STRICT`: it may not. */
  readonly strict: boolean;
  /** `HERMES_CODEX_EVENT_STALE_TIMEOUT_SECONDS` */
  readonly betweenEvents?: number | undefined;
  /** `HERMES_CODEX_HARD_TIMEOUT_SECONDS`: the whole answer. */
  readonly whole?: number | undefined;
}

/** Logins with a browser or a code. */
export interface LoginVariables {
  /** `HERMES_OAUTH_TRACE`: what is asked and answered is shown, without values. */
  readonly trace: boolean;
  /** `HERMES_PORTAL_BASE_URL`: another portal of Nous. */
  readonly nousPortal: string | undefined;
  /** `HERMES_NOUS_MIN_KEY_TTL_SECONDS`: how long a minted key must last. */
  readonly nousMinKeySeconds: number | undefined;
  /** Seconds that one request of a login may take, by the name of its variable; at most a minute. */
  readonly seconds: (variable: string) => number | undefined;
  /** The id of another OAuth client, by the name of its variable. */
  readonly clientId: (variable: string) => string | undefined;
}

/** Where the models of a cloud are asked. */
export interface CloudLocation {
  /** `AWS_REGION`, `AWS_DEFAULT_REGION` */
  readonly awsRegion: string | undefined;
  /** `GOOGLE_CLOUD_PROJECT`, `VERTEX_PROJECT` */
  readonly googleProject: string | undefined;
  /** `GOOGLE_CLOUD_LOCATION`, `VERTEX_LOCATION` */
  readonly googleLocation: string | undefined;
}

/** Reads the variables; `problems` gets one entry for each that should be a number and is none. */
export function modelVariables(variables: Variables, problems: EnvProblem[] = []): ModelVariables {
  const text = (...names: string[]) => firstOf(variables, names);
  // 0 sets no limit.
  const seconds = (name: string) => readNumber(variables, name, problems) || undefined;
  return {
    provider: text('HERMES_INFERENCE_PROVIDER'),
    model: text('HERMES_INFERENCE_MODEL'),
    timeouts: {
      total: seconds('HERMES_API_TIMEOUT'),
      read: seconds('HERMES_STREAM_READ_TIMEOUT'),
      stale: seconds('HERMES_STREAM_STALE_TIMEOUT'),
      staleLocal: readNumber(variables, 'HERMES_LOCAL_STREAM_STALE_TIMEOUT', problems),
      staleWhole: seconds('HERMES_API_CALL_STALE_TIMEOUT'),
      codex: {
        firstEvent: readNumber(variables, 'HERMES_CODEX_TTFB_TIMEOUT_SECONDS', problems),
        firstEventMost: readNumber(variables, 'HERMES_CODEX_TTFB_MAX_SECONDS', problems),
        largeFrom: readNumber(variables, 'HERMES_CODEX_TTFB_DISABLE_ABOVE_TOKENS', problems),
        strict: isOn(text('HERMES_CODEX_TTFB_STRICT')),
        betweenEvents: readNumber(variables, 'HERMES_CODEX_EVENT_STALE_TIMEOUT_SECONDS', problems),
        whole: readNumber(variables, 'HERMES_CODEX_HARD_TIMEOUT_SECONDS', problems),
      },
    },
    openRouterCache: isOn(text('HERMES_OPENROUTER_CACHE')),
    openRouterCacheTtl: seconds('HERMES_OPENROUTER_CACHE_TTL'),
    dumpRequests: isOn(text('HERMES_DUMP_REQUESTS')),
    printRequests: isOn(text('HERMES_DUMP_REQUEST_STDOUT')),
    cloud: {
      awsRegion: text('AWS_REGION', 'AWS_DEFAULT_REGION'),
      googleProject: text('GOOGLE_CLOUD_PROJECT', 'VERTEX_PROJECT_ID', 'VERTEX_PROJECT'),
      googleLocation: text('GOOGLE_CLOUD_LOCATION', 'VERTEX_REGION', 'VERTEX_LOCATION'),
    },
    logins: {
      trace: isOn(text('HERMES_OAUTH_TRACE')),
      nousPortal: text('HERMES_PORTAL_BASE_URL', 'NOUS_PORTAL_BASE_URL'),
      nousMinKeySeconds: seconds('HERMES_NOUS_MIN_KEY_TTL_SECONDS'),
      seconds: (variable) => {
        const asked = seconds(variable);
        return asked === undefined ? undefined : Math.min(asked, 60);
      },
      clientId: (variable) => text(variable),
    },
    network: { proxies: proxyVariables(variables), trusts: authorityVariables.flatMap((name) => text(name) ?? []) },
    named: variables,
  };
}

/** `AUXILIARY_<TASK>_…`: what the environment says about one side task, over its configuration. */
export interface SideTaskVariables {
  readonly provider: string | undefined;
  readonly model: string | undefined;
  readonly baseUrl: string | undefined;
  readonly apiKey: string | undefined;
}

export function sideTaskVariables(variables: Variables, task: string): SideTaskVariables {
  const text = (name: string) => firstOf(variables, [`AUXILIARY_${task.toUpperCase()}_${name}`]);
  return { provider: text('PROVIDER'), model: text('MODEL'), baseUrl: text('BASE_URL'), apiKey: text('API_KEY') };
}

/** Microsoft Entra: an application's login, or where the machine's own identity is found. Empty = not set. */
export interface EntraVariables {
  readonly tenant: string;
  readonly clientId: string;
  readonly secret: string;
  /** `AZURE_FEDERATED_TOKEN_FILE`: a token of the workload, read anew for each login. */
  readonly federatedTokenFile: string;
  /** `AZURE_AUTHORITY_HOST`: another cloud's login service. */
  readonly authority: string;
  readonly identityEndpoint: string;
  readonly identityHeader: string;
  /** `MSI_ENDPOINT`: where Azure ML and Cloud Shell have it; the one with `MSI_SECRET`, the other without. */
  readonly msiEndpoint: string;
  readonly msiSecret: string;
  /** `AZURE_POD_IDENTITY_AUTHORITY_HOST`: stands in for the address that every virtual machine knows. */
  readonly machineAuthority: string;
}

export function entraVariables(variables: Variables): EntraVariables {
  const text = (name: string) => firstOf(variables, [name]) ?? '';
  return {
    tenant: text('AZURE_TENANT_ID'),
    clientId: text('AZURE_CLIENT_ID'),
    secret: text('AZURE_CLIENT_SECRET'),
    authority: text('AZURE_AUTHORITY_HOST'),
    identityEndpoint: text('IDENTITY_ENDPOINT'),
    identityHeader: text('IDENTITY_HEADER'),
    federatedTokenFile: text('AZURE_FEDERATED_TOKEN_FILE'),
    msiEndpoint: text('MSI_ENDPOINT'),
    msiSecret: text('MSI_SECRET'),
    machineAuthority: text('AZURE_POD_IDENTITY_AUTHORITY_HOST'),
  };
}

/** `VERTEX_CREDENTIALS_PATH`, `GOOGLE_APPLICATION_CREDENTIALS`: the file of an account; undefined lets Google's library look for one. */
export function googleCredentialsFile(variables: Variables): string | undefined {
  return firstOf(variables, ['VERTEX_CREDENTIALS_PATH', 'GOOGLE_APPLICATION_CREDENTIALS']);
}

/** `COPILOT_GH_HOST`: another GitHub than github.com whose login is Copilot's. */
export function copilotHost(variables: Variables): string | undefined {
  return firstOf(variables, ['COPILOT_GH_HOST']);
}

/** `CODEX_HOME`, where the Codex program keeps its login; default `~/.codex`. */
export function codexDirectory(variables: Variables): string {
  return firstOf(variables, ['CODEX_HOME']) ?? join(userDirectory(variables), '.codex');
}

/** The first that is set to more than spaces. */
function firstOf(variables: Variables, names: readonly string[]): string | undefined {
  for (const name of names) {
    const text = filled(variables[name]);
    if (text !== undefined) return text;
  }
  return undefined;
}

const authorityVariables = [
  'HERMES_CA_BUNDLE',
  'SSL_CERT_FILE',
  'NODE_EXTRA_CA_CERTS',
  'REQUESTS_CA_BUNDLE',
  'CURL_CA_BUNDLE',
] as const;
