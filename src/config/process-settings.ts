/** Switches and limits of this process that have an environment variable and no key in `config.yaml`. */
import { type EnvProblem, filled, isOn, readNumber } from './env-values.ts';
import type { Variables } from './variables.ts';

export interface ProcessSettings {
  /** `HERMES_YOLO_MODE`: approval prompts are skipped. */
  readonly yolo: boolean;
  /** `HERMES_NONINTERACTIVE`: `hermes setup` asks nothing. */
  readonly nonInteractive: boolean;
  /** `HERMES_SAFE_MODE`: of the user's file only what says which model answers, and no rules. */
  readonly safeMode: boolean;
  readonly ignoreUserConfig: boolean;
  readonly ignoreRules: boolean;
  readonly requests: RequestSettings;
  readonly deadlines: ToolDeadlines;
  /** `HERMES_EXIT_WATCHDOG_S`: seconds after which what still runs at the end is left behind; 0 waits for it. */
  readonly exitSeconds: number;
  readonly prompt: PromptSettings;
  readonly files: FileSettings;
  readonly terminal: TerminalSettings;
  /** `HERMES_QUIET`: notes about progress are left out. */
  readonly quiet: boolean;
  /** `HERMES_SESSION_SOURCE`: what sessions are filed under instead of their surface. */
  readonly sessionSource: string | undefined;
  /** `HERMES_DOCKER_BINARY` */
  readonly docker: string;
  /** `OSV_ENDPOINT`: who is asked about known holes in packages. */
  readonly osvEndpoint: string;
  /** `HERMES_OPTIONAL_MCPS`: the folder of the catalogue of MCP servers, instead of the one that the package ships. */
  readonly mcpCatalogue: string | undefined;
  /** `GATEWAY_ALLOW_ALL_USERS` */
  readonly everybodyMayTalk: boolean;
  /** `HERMES_GATEWAY_ADAPTER_DISCONNECT_TIMEOUT`: seconds that the end of a connection to a chat platform may take. */
  readonly disconnectSeconds: number;
  readonly hooks: HookSettings;
  readonly plugins: PluginSettings;
}

export interface HookSettings {
  /** `HERMES_ACCEPT_HOOKS`: shell hooks that were not allowed yet are, without a question. */
  readonly accept: boolean;
  /** `HERMES_PLUGIN_PAYLOAD_MAX_CHARS`: how much hooks see of a request or an answer of a model. */
  readonly maxPayloadChars: number;
}

export interface PluginSettings {
  /** `HERMES_ENABLE_PROJECT_PLUGINS`: also those in `.hermes/plugins` of the folder one works in. */
  readonly project: boolean;
  /** `HERMES_PLUGINS_DEBUG`: `hermes plugins list` says of each why it is not loaded. */
  readonly debug: boolean;
}

/** Settings of model requests that are no part of the model settings. */
export interface RequestSettings {
  /** `HERMES_STREAM_RETRIES`: how often a stream that broke off is asked for again. */
  readonly streamRetries: number;
  /** `HERMES_STREAM_STALE_GIVEUP`: answers in a row that did not come in time, after which a provider is left alone. */
  readonly timeouts: number;
}

/** Seconds. */
export interface ToolDeadlines {
  /** `HERMES_CONCURRENT_TOOL_TIMEOUT_S`: calls that run side by side; 0 sets no limit. */
  readonly sideBySide: number;
  /** `HERMES_SIGTERM_GRACE`: what a call gets to end after an interrupt. */
  readonly grace: number;
  /** `TERMINAL_MAX_FOREGROUND_TIMEOUT`: the most that a model may ask for a command in the foreground. */
  readonly foreground: number;
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
  /** `HERMES_WRITE_SAFE_ROOT`: file tools write below these folders only, which are separated like those of `PATH`. */
  readonly writeRoot: string | undefined;
  /** `HERMES_CHECKPOINT_TIMEOUT`: seconds that one call of git for a checkpoint may take, 10 to 60. */
  readonly checkpointSeconds: number;
}

/** Where the person sits. */
export interface TerminalSettings {
  /** False with `NO_COLOR` (https://no-color.org) and on a terminal without any. */
  readonly color: boolean;
  /** `TERM=dumb`: it can do nothing but print lines. */
  readonly dumb: boolean;
  /** `COLORTERM` says that it has all 16 million colours. */
  readonly trueColor: boolean;
  /** The background is light, as `HERMES_TUI_THEME` or `COLORFGBG` says; undefined where neither does. */
  readonly light: boolean | undefined;
  /** False on terminals that cut lines off when they get narrower, rather than break them (xterm, rxvt, the console). */
  readonly reflows: boolean;
  /** On the other side of an SSH connection. */
  readonly remote: boolean;
  /** `HERMES_SPINNER_PAUSE`: nothing turns while one waits. */
  readonly still: boolean;
  /** `HERMES_FAST_STARTUP_BANNER`: a short welcome. */
  readonly shortWelcome: boolean;
  /** `HERMES_DEFER_AGENT_STARTUP`: the prompt is there before the agent is. */
  readonly deferAgent: boolean;
  /** `EDITOR` and `VISUAL`, in this order, as far as they are set. */
  readonly editors: readonly string[];
}

/** Reads the variables; `problems` gets one entry for each that should be a number and is none, which then counts as unset. */
export function processSettings(env: Variables, problems: EnvProblem[] = []): ProcessSettings {
  const safeMode = isOn(env['HERMES_SAFE_MODE']);
  return {
    nonInteractive: isOn(env['HERMES_NONINTERACTIVE']),
    yolo: isOn(env['HERMES_YOLO_MODE']),
    safeMode,
    ignoreUserConfig: isOn(env['HERMES_IGNORE_USER_CONFIG']),
    ignoreRules: safeMode || isOn(env['HERMES_IGNORE_RULES']),
    requests: {
      streamRetries: readNumber(env, 'HERMES_STREAM_RETRIES', problems) ?? 3,
      timeouts: readNumber(env, 'HERMES_STREAM_STALE_GIVEUP', problems) ?? 5,
    },
    deadlines: {
      sideBySide: readNumber(env, 'HERMES_CONCURRENT_TOOL_TIMEOUT_S', problems) ?? 420,
      grace: readNumber(env, 'HERMES_SIGTERM_GRACE', problems) ?? 1.5,
      foreground: readNumber(env, 'TERMINAL_MAX_FOREGROUND_TIMEOUT', problems) || 600,
    },
    exitSeconds: readNumber(env, 'HERMES_EXIT_WATCHDOG_S', problems) ?? 30,
    prompt: {
      ephemeral: env['HERMES_EPHEMERAL_SYSTEM_PROMPT'] ?? '',
      helpGuidance: env['HERMES_AGENT_HELP_GUIDANCE'] ?? '',
      ruleFileNames: env['HERMES_MD_NAMES'] ?? '',
    },
    files: {
      stateGuard: !isOn(env['HERMES_DISABLE_FILE_STATE_GUARD']),
      writeRoot: env['HERMES_WRITE_SAFE_ROOT'],
      checkpointSeconds: Math.min(60, Math.max(10, readNumber(env, 'HERMES_CHECKPOINT_TIMEOUT', problems) ?? 30)),
    },
    terminal: {
      color: (env['NO_COLOR'] ?? '') === '' && env['TERM'] !== 'dumb',
      dumb: env['TERM'] === 'dumb',
      trueColor: ['truecolor', '24bit'].includes(env['COLORTERM'] ?? ''),
      light: isLight(env),
      reflows:
        filled(env['XTERM_VERSION']) === undefined &&
        filled(env['STY']) === undefined &&
        !/^(linux|rxvt)/.test(env['TERM'] ?? ''),
      remote: ['SSH_CONNECTION', 'SSH_TTY', 'SSH_CLIENT'].some((name) => (env[name] ?? '') !== ''),
      still: filled(env['HERMES_SPINNER_PAUSE']) !== undefined,
      shortWelcome: isOn(env['HERMES_FAST_STARTUP_BANNER']),
      deferAgent: isOn(env['HERMES_DEFER_AGENT_STARTUP']),
      editors: ['EDITOR', 'VISUAL'].flatMap((name) => filled(env[name]) ?? []),
    },
    quiet: filled(env['HERMES_QUIET']) !== undefined,
    sessionSource: env['HERMES_SESSION_SOURCE'],
    docker: filled(env['HERMES_DOCKER_BINARY']) ?? 'docker',
    osvEndpoint: filled(env['OSV_ENDPOINT']) ?? 'https://api.osv.dev/v1/query',
    mcpCatalogue: filled(env['HERMES_OPTIONAL_MCPS']),
    everybodyMayTalk: isOn(env['GATEWAY_ALLOW_ALL_USERS']),
    disconnectSeconds: readNumber(env, 'HERMES_GATEWAY_ADAPTER_DISCONNECT_TIMEOUT', problems) ?? 5,
    plugins: {
      project: isOn(env['HERMES_ENABLE_PROJECT_PLUGINS']),
      debug: isOn(env['HERMES_PLUGINS_DEBUG']),
    },
    hooks: {
      accept: isOn(env['HERMES_ACCEPT_HOOKS']),
      maxPayloadChars: Math.max(1000, readNumber(env, 'HERMES_PLUGIN_PAYLOAD_MAX_CHARS', problems) ?? 50_000),
    },
  };
}

/** `light`, `dark` or the colour of the background; else the number of that colour among the sixteen (rxvt, Konsole). */
function isLight(env: Variables): boolean | undefined {
  const theme = env['HERMES_TUI_THEME']?.trim().toLowerCase() ?? '';
  if (theme === 'light' || theme === 'dark') return theme === 'light';
  const [, red, green, blue] = /^#?([\da-f]{2})([\da-f]{2})([\da-f]{2})$/.exec(theme) ?? [];
  if (red !== undefined && green !== undefined && blue !== undefined) {
    const [r = 0, g = 0, b = 0] = [red, green, blue].map((part) => Number.parseInt(part, 16));
    return isLightColor({ r, g, b });
  }
  const background = /;(\d{1,2})$/.exec(env['COLORFGBG'] ?? '')?.[1];
  return background === undefined ? undefined : Number(background) >= 7 && background !== '8';
}

/** Of 0 to 255 each, weighed as the eye does (ITU-R BT.709). */
export function isLightColor({ r, g, b }: { readonly r: number; readonly g: number; readonly b: number }): boolean {
  return 0.2126 * r + 0.7152 * g + 0.0722 * b > 127;
}
