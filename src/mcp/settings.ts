/** What the configuration says of one server, ready to connect with. */
import * as z from 'zod';
import type { Config } from '../config/schema.ts';
import { expandNamedVariables } from '../config/values.ts';
import type { Variables } from '../config/variables.ts';
import { UserError } from '../lib/errors.ts';

/** `mcp_servers.<name>` as it was read. */
export type ServerEntry = Config['mcp_servers'][string];

export type TransportKind = 'stdio' | 'http' | 'sse';

export interface ServerSettings {
  readonly name: string;
  readonly reach: StdioReach | HttpReach;
  /** Milliseconds. */
  readonly callMs: number;
  readonly connectMs: number;
  readonly keepaliveMs: number;
  /** How long a process may stay without a call, and at all; absent: for good. */
  readonly idleMs?: number;
  readonly lifetimeMs?: number;
  readonly sideBySide: boolean;
  readonly offers: Offers;
  readonly sampling: SamplingSettings;
  readonly elicitation: { readonly enabled: boolean; readonly timeoutMs: number };
  /** Said once. */
  readonly warnings: readonly string[];
}

export interface StdioReach {
  readonly kind: 'stdio';
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly cwd?: string;
}

export interface HttpReach {
  readonly kind: 'http' | 'sse';
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Absent: no login. */
  readonly oauth?: OAuthSettings;
  readonly looksFirst: boolean;
  /** `false`: certificates are not checked; a path: a bundle of authorities. */
  readonly verify: boolean | string;
  readonly certificate?: { readonly cert: string; readonly key?: string; readonly password?: string };
}

/** How a login is made. */
export interface OAuthSettings {
  /** Registered by the owner; absent: registered with each login. */
  readonly client?: { readonly id: string; readonly secret?: string };
  readonly clientName: string;
  readonly scope?: string;
  readonly redirectHost: string;
  /** 0: any that is free. */
  readonly redirectPort: number;
  readonly redirectUri?: string;
  readonly timeoutMs: number;
}

/** Which of a server's tools are offered, by its own names. */
export interface Offers {
  /** Absent: all but the excluded. */
  readonly include?: readonly string[];
  readonly exclude: readonly string[];
  readonly resources: boolean;
  readonly prompts: boolean;
}

/** Numbers that mean nothing fall back to their defaults. */
const samplingSchema = z.looseObject({
  enabled: z.preprocess(asBoolean, z.boolean()).catch(true),
  model: z.string().min(1).optional().catch(undefined),
  allowed_models: z.array(z.string()).catch([]),
  max_tokens_cap: z.coerce.number().int().min(1).catch(4096),
  timeout: z.coerce.number().positive().catch(30),
  max_rpm: z.coerce.number().int().min(1).catch(10),
  max_tool_rounds: z.coerce.number().int().min(0).catch(5),
  log_level: z.enum(['debug', 'info', 'warning', 'error']).catch('info'),
});

export type SamplingSettings = z.infer<typeof samplingSchema>;

const elicitationSchema = z.looseObject({
  enabled: z.preprocess(asBoolean, z.boolean()).catch(true),
  timeout: z.coerce.number().positive().catch(300),
});

/** Throws `UserError` for an entry that names nothing to connect to. */
export function readSettings(name: string, entry: ServerEntry, variables: Variables): ServerSettings {
  const filled = (text: string): string => expandNamedVariables(text, variables);
  const elicitation = elicitationSchema.parse(entry.elicitation);
  const { include, exclude, resources, prompts } = entry.tools;
  const idle = seconds(entry.idle_timeout_seconds ?? entry.lifecycle.idle_timeout_seconds);
  const lifetime = seconds(entry.max_lifetime_seconds ?? entry.lifecycle.max_lifetime_seconds);
  return {
    name,
    reach:
      entry.url === undefined || entry.url === '' ? stdioReach(name, entry, filled) : httpReach(name, entry, filled),
    callMs: entry.timeout * 1000,
    connectMs: entry.connect_timeout * 1000,
    keepaliveMs: entry.keepalive_interval * 1000,
    ...(idle === undefined ? {} : { idleMs: idle }),
    ...(lifetime === undefined ? {} : { lifetimeMs: lifetime }),
    sideBySide: entry.supports_parallel_tool_calls,
    offers: { ...(include === undefined ? {} : { include }), exclude, resources, prompts },
    sampling: samplingSchema.parse(entry.sampling),
    elicitation: { enabled: elicitation.enabled, timeoutMs: elicitation.timeout * 1000 },
    warnings:
      entry.url !== undefined && entry.command !== undefined
        ? [`mcp_servers.${name} has both url and command; the url is used`]
        : [],
  };
}

function stdioReach(
  name: string,
  { command, args, env, cwd }: ServerEntry,
  filled: (text: string) => string,
): StdioReach {
  if (command === undefined || command.trim() === '') {
    throw new UserError(`mcp_servers.${name} names neither a command nor a url.`);
  }
  return {
    kind: 'stdio',
    command: filled(command),
    args: args.map(filled),
    env: mapValues(env, filled),
    ...(cwd === undefined ? {} : { cwd: filled(cwd) }),
  };
}

function httpReach(name: string, entry: ServerEntry, filled: (text: string) => string): HttpReach {
  const url = filled(entry.url ?? '');
  const parsed = URL.canParse(url) ? new URL(url) : undefined;
  if (parsed === undefined || !/^https?:$/.test(parsed.protocol) || parsed.hostname === '') {
    throw new UserError(`mcp_servers.${name}.url must be http(s)://host/…; it is ${url}`);
  }
  const certificate = certificateOf(name, entry, filled);
  return {
    kind: entry.transport?.toLowerCase() === 'sse' ? 'sse' : 'http',
    url,
    headers: mapValues(entry.headers, filled),
    ...(entry.auth?.toLowerCase() === 'oauth' ? { oauth: oauthOf(entry, filled) } : {}),
    looksFirst: !entry.skip_preflight,
    verify: typeof entry.ssl_verify === 'string' ? filled(entry.ssl_verify) : entry.ssl_verify,
    ...(certificate === undefined ? {} : { certificate }),
  };
}

function oauthOf({ oauth }: ServerEntry, filled: (text: string) => string): OAuthSettings {
  const { client_id: id, client_secret: secret, scope, redirect_uri: redirectUri } = oauth;
  const client = id ? { id: filled(id), ...(secret ? { secret: filled(secret) } : {}) } : undefined;
  return {
    ...(client === undefined ? {} : { client }),
    clientName: oauth.client_name,
    ...(scope ? { scope } : {}),
    redirectHost: oauth.redirect_host,
    redirectPort: oauth.redirect_port,
    ...(redirectUri ? { redirectUri: filled(redirectUri) } : {}),
    timeoutMs: oauth.timeout * 1000,
  };
}

function certificateOf(
  name: string,
  { client_cert, client_key }: ServerEntry,
  filled: (text: string) => string,
): HttpReach['certificate'] {
  if (client_cert === undefined) {
    if (client_key === undefined) return undefined;
    throw new UserError(`mcp_servers.${name} has a client_key and no client_cert.`);
  }
  const [cert, key, password] = typeof client_cert === 'string' ? [client_cert, client_key] : client_cert;
  if (cert === undefined) throw new UserError(`mcp_servers.${name}.client_cert is empty.`);
  return {
    cert: filled(cert),
    ...(key === undefined ? {} : { key: filled(key) }),
    ...(password === undefined ? {} : { password: filled(password) }),
  };
}

function mapValues(map: Readonly<Record<string, string>>, change: (text: string) => string): Record<string, string> {
  return Object.fromEntries(Object.entries(map).map(([key, value]) => [key, change(value)]));
}

/** Milliseconds; 0 means never. */
function seconds(value: number | undefined): number | undefined {
  return value === undefined || value === 0 ? undefined : value * 1000;
}

function asBoolean(value: unknown): unknown {
  if (typeof value !== 'string') return value;
  const word = value.trim().toLowerCase();
  if (['true', '1', 'yes', 'on'].includes(word)) return true;
  return ['false', '0', 'no', 'off'].includes(word) ? false : value;
}
