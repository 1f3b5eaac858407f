/** Switches and limits of this process that have an environment variable and no key in `config.yaml`. */
import { isOn } from './env-values.ts';
import type { Env } from './home.ts';

export interface ProcessSettings {
  /** `HERMES_YOLO_MODE`: approval prompts are skipped. */
  readonly yolo: boolean;
  readonly acceptHooks: boolean;
  readonly ignoreUserConfig: boolean;
  readonly ignoreRules: boolean;
  readonly safeMode: boolean;
  readonly quiet: boolean;
  /** A file that changed since it was read is not written over. Off with `HERMES_DISABLE_FILE_STATE_GUARD`. */
  readonly fileStateGuard: boolean;
  /** `HERMES_WRITE_SAFE_ROOT`: the one tree that file tools write in without asking; empty = everywhere. */
  readonly writeSafeRoot: string;
  /** Seconds a model request may take in all. */
  readonly apiTimeout: number;
  /** Seconds of silence of a request that is not streamed. */
  readonly apiStaleTimeout: number;
  /** Seconds a stream's connection may be silent. */
  readonly streamReadTimeout: number;
  /** Seconds a stream may bring nothing new. */
  readonly streamStaleTimeout: number;
  readonly streamRetries: number;
  /** Text added to the system prompt for this process, never stored. */
  readonly ephemeralSystemPrompt: string;
}

/** Reads the switches; `problems` gets one entry for each variable that is no number, whose default is then used. */
export function processSettings(env: Env, problems: EnvProblem[] = []): ProcessSettings {
  const number = (variable: string, fallback: number): number => {
    const text = env[variable]?.trim();
    if (!text) return fallback;
    const value = Number(text);
    if (Number.isFinite(value) && value >= 0) return value;
    problems.push({ variable, message: `'${text.slice(0, 40)}' is not a number; using ${fallback}` });
    return fallback;
  };
  const safeMode = isOn(env['HERMES_SAFE_MODE']);
  return {
    yolo: isOn(env['HERMES_YOLO_MODE']),
    acceptHooks: isOn(env['HERMES_ACCEPT_HOOKS']),
    ignoreUserConfig: safeMode || isOn(env['HERMES_IGNORE_USER_CONFIG']),
    ignoreRules: safeMode || isOn(env['HERMES_IGNORE_RULES']),
    safeMode,
    quiet: isOn(env['HERMES_QUIET']),
    fileStateGuard: !isOn(env['HERMES_DISABLE_FILE_STATE_GUARD']),
    writeSafeRoot: env['HERMES_WRITE_SAFE_ROOT']?.trim() ?? '',
    apiTimeout: number('HERMES_API_TIMEOUT', 1800),
    apiStaleTimeout: number('HERMES_API_CALL_STALE_TIMEOUT', 90),
    streamReadTimeout: number('HERMES_STREAM_READ_TIMEOUT', 120),
    streamStaleTimeout: number('HERMES_STREAM_STALE_TIMEOUT', 180),
    streamRetries: number('HERMES_STREAM_RETRIES', 3),
    ephemeralSystemPrompt: env['HERMES_EPHEMERAL_SYSTEM_PROMPT'] ?? '',
  };
}

/** An environment variable whose value could not be used. */
export interface EnvProblem {
  readonly variable: string;
  readonly message: string;
}
