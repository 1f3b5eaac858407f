/** Switches, limits and places of this process that have an environment variable and no key in `config.yaml`. */
import { homedir } from 'node:os';
import { join } from 'node:path';
import { isOn } from './env-values.ts';
import type { Variables } from './variables.ts';

export interface ProcessSettings {
  /** `HERMES_YOLO_MODE`: approval prompts are skipped. */
  readonly yolo: boolean;
  readonly acceptHooks: boolean;
  readonly ignoreUserConfig: boolean;
  readonly ignoreRules: boolean;
  readonly safeMode: boolean;
  readonly quiet: boolean;
  readonly requests: RequestSettings;
  readonly prompt: PromptSettings;
  readonly files: FileSettings;
  readonly places: PlaceSettings;
  readonly logins: LoginSettings;
  readonly terminal: TerminalSettings;
  /** `HERMES_SESSION_SOURCE`: what sessions are filed under instead of their surface. */
  readonly sessionSource: string | undefined;
  /** `GATEWAY_ALLOW_ALL_USERS` */
  readonly everybodyMayTalk: boolean;
}

/** Limits of model requests in seconds; undefined leaves what the protocol has. The configuration of a provider beats them. */
export interface RequestSettings {
  /** `HERMES_API_TIMEOUT`: all of a request. */
  readonly timeout: number | undefined;
  /** `HERMES_API_CALL_STALE_TIMEOUT`: silence of a request that is not streamed. */
  readonly staleTimeout: number | undefined;
  /** `HERMES_STREAM_READ_TIMEOUT`: silence of a stream's connection. */
  readonly streamReadTimeout: number | undefined;
  /** `HERMES_STREAM_STALE_TIMEOUT`: a stream that brings nothing new. */
  readonly streamStaleTimeout: number | undefined;
  readonly streamRetries: number;
  /** `HERMES_DUMP_REQUESTS`: requests are written to files, without secrets. */
  readonly dump: boolean;
}

export interface PromptSettings {
  /** `HERMES_EPHEMERAL_SYSTEM_PROMPT`: added to the system prompt of this process, never stored. */
  readonly ephemeral: string;
  /** `HERMES_AGENT_HELP_GUIDANCE`: what whoever runs this installation has to say about it. */
  readonly helpGuidance: string;
  /** `HERMES_MD_NAMES`: names of the project files that steer the model, as they are written there. */
  readonly ruleFileNames: string;
}

export interface FileSettings {
  /** False with `HERMES_DISABLE_FILE_STATE_GUARD`: files may be written that changed since they were read. */
  readonly stateGuard: boolean;
  /** `HERMES_WRITE_SAFE_ROOT`: file tools write below it only. */
  readonly writeRoot: string | undefined;
}

export interface PlaceSettings {
  /** The user's own directory. */
  readonly userHome: string;
  /** `HERMES_BUNDLED_SKILLS` and `HERMES_OPTIONAL_SKILLS`: other folders than those that come with the program. */
  readonly bundledSkills: string | undefined;
  readonly optionalSkills: string | undefined;
  /** Where Codex keeps its login. */
  readonly codexHome: string;
  /** `HERMES_DOCKER_BINARY` */
  readonly docker: string;
}

export interface LoginSettings {
  /** `HERMES_OAUTH_TRACE`: the requests of a login are shown, without secrets. */
  readonly trace: boolean;
  /** `HERMES_PORTAL_BASE_URL` */
  readonly nousPortal: string | undefined;
  /** `HERMES_NOUS_MIN_KEY_TTL_SECONDS`: a key that lasts less is replaced. */
  readonly nousMinKeySeconds: number;
}

/** Where the person sits. */
export interface TerminalSettings {
  /** False with `NO_COLOR` (https://no-color.org) and on a terminal without any. */
  readonly color: boolean;
  /** On the other side of an SSH connection. */
  readonly remote: boolean;
  /** `EDITOR` and `VISUAL`, in this order, as far as they are set. */
  readonly editors: readonly string[];
}

/** Reads the variables; `problems` gets one entry for each that should be a number and is none, which then counts as unset. */
export function processSettings(env: Variables, problems: EnvProblem[] = []): ProcessSettings {
  const safeMode = isOn(env['HERMES_SAFE_MODE']);
  return {
    yolo: isOn(env['HERMES_YOLO_MODE']),
    acceptHooks: isOn(env['HERMES_ACCEPT_HOOKS']),
    ignoreUserConfig: safeMode || isOn(env['HERMES_IGNORE_USER_CONFIG']),
    ignoreRules: safeMode || isOn(env['HERMES_IGNORE_RULES']),
    safeMode,
    quiet: isOn(env['HERMES_QUIET']),
    requests: requestSettings(env, problems),
    prompt: {
      ephemeral: env['HERMES_EPHEMERAL_SYSTEM_PROMPT'] ?? '',
      helpGuidance: env['HERMES_AGENT_HELP_GUIDANCE'] ?? '',
      ruleFileNames: env['HERMES_MD_NAMES'] ?? '',
    },
    files: {
      stateGuard: !isOn(env['HERMES_DISABLE_FILE_STATE_GUARD']),
      writeRoot: env['HERMES_WRITE_SAFE_ROOT'],
    },
    places: placeSettings(env),
    logins: {
      trace: isOn(env['HERMES_OAUTH_TRACE']),
      nousPortal: filled(env['HERMES_PORTAL_BASE_URL']),
      nousMinKeySeconds: Math.max(60, Math.floor(number(env, 'HERMES_NOUS_MIN_KEY_TTL_SECONDS', problems) ?? 1800)),
    },
    terminal: {
      color: (env['NO_COLOR'] ?? '') === '' && env['TERM'] !== 'dumb',
      remote: ['SSH_CONNECTION', 'SSH_TTY', 'SSH_CLIENT'].some((name) => (env[name] ?? '') !== ''),
      editors: ['EDITOR', 'VISUAL'].flatMap((name) => filled(env[name]) ?? []),
    },
    sessionSource: env['HERMES_SESSION_SOURCE'],
    everybodyMayTalk: isOn(env['GATEWAY_ALLOW_ALL_USERS']),
  };
}

function requestSettings(env: Variables, problems: EnvProblem[]): RequestSettings {
  const limit = (variable: string): number | undefined => number(env, variable, problems) || undefined;
  return {
    timeout: limit('HERMES_API_TIMEOUT'),
    staleTimeout: limit('HERMES_API_CALL_STALE_TIMEOUT'),
    streamReadTimeout: limit('HERMES_STREAM_READ_TIMEOUT'),
    streamStaleTimeout: limit('HERMES_STREAM_STALE_TIMEOUT'),
    streamRetries: number(env, 'HERMES_STREAM_RETRIES', problems) ?? 3,
    dump: isOn(env['HERMES_DUMP_REQUESTS']),
  };
}

function placeSettings(env: Variables): PlaceSettings {
  const userHome = env['HOME'] || homedir();
  return {
    userHome,
    bundledSkills: filled(env['HERMES_BUNDLED_SKILLS']),
    optionalSkills: filled(env['HERMES_OPTIONAL_SKILLS']),
    codexHome: filled(env['CODEX_HOME']) ?? join(userHome, '.codex'),
    docker: filled(env['HERMES_DOCKER_BINARY']) ?? 'docker',
  };
}

/** An environment variable whose value could not be used. */
export interface EnvProblem {
  readonly variable: string;
  readonly message: string;
}

function number(env: Variables, variable: string, problems: EnvProblem[]): number | undefined {
  const text = filled(env[variable]);
  if (text === undefined) return undefined;
  const value = Number(text);
  if (Number.isFinite(value) && value >= 0) return value;
  problems.push({ variable, message: `'${text.slice(0, 40)}' is not a number; the default is used` });
  return undefined;
}

function filled(value: string | undefined): string | undefined {
  return value?.trim() || undefined;
}
