/** How much of a turn each platform shows. */

export type ToolProgress = 'off' | 'new' | 'all' | 'verbose' | 'log';

export interface ChatDisplay {
  readonly tool_progress: ToolProgress;
  readonly tool_progress_grouping: 'accumulate' | 'separate';
  /** Longest preview of arguments; 0 means no limit. */
  readonly tool_preview_length: number;
  readonly streaming: boolean;
  readonly interim_assistant_messages: boolean;
  readonly long_running_notifications: boolean | 'generic';
  readonly busy_ack_detail: boolean;
  readonly busy_steer_ack_enabled: boolean;
  readonly cleanup_progress: boolean;
  readonly show_reasoning: boolean;
  readonly reasoning_style: 'code' | 'blockquote' | 'subtext';
  readonly live_status: 'full' | 'verb' | 'off';
  readonly ephemeral_system_ttl: number;
  /** What stands under a final answer; nothing when it is off. */
  readonly runtime_footer: readonly string[];
}

/** `display` as it was written down, without defaults: what is absent is decided by the platform. */
export interface WrittenDisplay {
  readonly platforms?: Readonly<Record<string, Readonly<Record<string, unknown>>>> | undefined;
  readonly tool_progress_overrides?: Readonly<Record<string, unknown>> | undefined;
  readonly [key: string]: unknown;
}

/**
 * The settings of a platform: its own, then (tool progress) the older overrides, then the general ones (not for
 * streaming, which is `streaming.enabled`), then what suits it, then the default.
 */
export function chatDisplay(platform: string, display: WrittenDisplay, isStreaming: boolean): ChatDisplay {
  const own = valueOf(display.platforms, platform) ?? {};
  const suited: Partial<ChatDisplay> = { ...tierOf(platform), ...reasoningOf(platform) };
  const read = <Key extends keyof ChatDisplay>(key: Key, isValid: (value: unknown) => value is ChatDisplay[Key]) => {
    const older = key === 'tool_progress' ? valueOf(display.tool_progress_overrides, platform) : undefined;
    const general = key === 'streaming' ? undefined : display[key];
    const found = [valueOf(own, key), older, general].map(plainSwitch(key)).find(isValid);
    return found ?? suited[key] ?? (key === 'streaming' && isValid(isStreaming) ? isStreaming : defaults[key]);
  };
  return {
    tool_progress: read('tool_progress', oneOf('off', 'new', 'all', 'verbose', 'log')),
    tool_progress_grouping: read('tool_progress_grouping', oneOf('accumulate', 'separate')),
    tool_preview_length: read('tool_preview_length', isLength),
    streaming: read('streaming', isSwitch),
    interim_assistant_messages: read('interim_assistant_messages', isSwitch),
    long_running_notifications: read('long_running_notifications', oneOf(true, false, 'generic')),
    busy_ack_detail: read('busy_ack_detail', isSwitch),
    busy_steer_ack_enabled: read('busy_steer_ack_enabled', isSwitch),
    cleanup_progress: read('cleanup_progress', isSwitch),
    show_reasoning: read('show_reasoning', isSwitch),
    reasoning_style: read('reasoning_style', oneOf('code', 'blockquote', 'subtext')),
    live_status: read('live_status', oneOf('full', 'verb', 'off')),
    ephemeral_system_ttl: read('ephemeral_system_ttl', isLength),
    runtime_footer: footerOf(own, display),
  };
}

const defaults: ChatDisplay = {
  tool_progress: 'all',
  tool_progress_grouping: 'accumulate',
  tool_preview_length: 0,
  streaming: false,
  interim_assistant_messages: true,
  long_running_notifications: true,
  busy_ack_detail: true,
  busy_steer_ack_enabled: true,
  cleanup_progress: false,
  show_reasoning: false,
  reasoning_style: 'code',
  live_status: 'full',
  ephemeral_system_ttl: 0,
  runtime_footer: [],
};
const footerFields = ['model', 'context_pct', 'cwd'];

const shows = { interim_assistant_messages: true, long_running_notifications: true, busy_ack_detail: true } as const;
const hides = {
  streaming: false,
  interim_assistant_messages: false,
  long_running_notifications: false,
  busy_ack_detail: false,
} as const;
const high: Partial<ChatDisplay> = { tool_progress: 'all', tool_preview_length: 40, ...shows };
const medium: Partial<ChatDisplay> = { tool_progress: 'new', tool_preview_length: 40, ...shows };
/** Messages there cannot be edited, so that each line would be one of its own. */
const low: Partial<ChatDisplay> = { tool_progress: 'off', tool_preview_length: 40, ...hides };
/** One answer to one message. */
const minimal: Partial<ChatDisplay> = { tool_progress: 'off', tool_preview_length: 0, ...hides };

const tiers: ReadonlyMap<string, Partial<ChatDisplay>> = new Map([
  ['discord', high],
  ['api_server', { ...high, tool_preview_length: 0 }],
  ['telegram', { ...high, tool_progress: 'off', busy_ack_detail: false }],
  ['mattermost', medium],
  ['matrix', medium],
  ['feishu', medium],
  ['whatsapp', medium],
  ['slack', { ...medium, tool_progress: 'off' }],
  ['signal', low],
  ['whatsapp_cloud', low],
  ['bluebubbles', low],
  ['weixin', low],
  ['wecom', low],
  ['wecom_callback', low],
  ['dingtalk', low],
  ['email', minimal],
  ['sms', minimal],
  ['webhook', minimal],
  ['homeassistant', minimal],
]);

function tierOf(platform: string): Partial<ChatDisplay> {
  return tiers.get(platform) ?? {};
}

function reasoningOf(platform: string): Partial<ChatDisplay> {
  return platform === 'discord' ? { reasoning_style: 'subtext' } : {};
}

/** Each part of it is the platform's own, or the general one. */
function footerOf(...blocks: readonly Readonly<Record<string, unknown>>[]): readonly string[] {
  const written = blocks.map((block) => {
    const footer = valueOf(block, 'runtime_footer');
    return typeof footer === 'object' && footer !== null ? footer : {};
  });
  const enabled = written.map((footer) => ('enabled' in footer ? footer.enabled : undefined)).find(isSwitch);
  if (enabled !== true) return defaults.runtime_footer;
  const fields = written.map((footer) => ('fields' in footer ? footer.fields : undefined)).find(Array.isArray);
  return fields?.filter((field) => typeof field === 'string') ?? footerFields;
}

/** YAML turns `off` into false; the words stand for their switches too. */
function plainSwitch(key: keyof ChatDisplay): (value: unknown) => unknown {
  return (value) => {
    if (key === 'tool_progress' && typeof value === 'boolean') return value ? 'all' : 'off';
    return key === 'live_status' && typeof value === 'boolean' ? (value ? 'full' : 'off') : value;
  };
}

function valueOf<Value>(record: Readonly<Record<string, Value>> | undefined, key: string): Value | undefined {
  return record !== undefined && Object.hasOwn(record, key) ? record[key] : undefined;
}

function oneOf<const Values extends readonly unknown[]>(...values: Values) {
  return (value: unknown): value is Values[number] => values.includes(value);
}

function isSwitch(value: unknown): value is boolean {
  return typeof value === 'boolean';
}

function isLength(value: unknown): value is number {
  return typeof value === 'number' && value >= 0;
}
