/** What a chat is shown of a turn: the owner's settings for the platform, or those of its tier. */
import type { DisplayTier, PlatformFacts } from '../platform/platform.ts';

export interface ChatDisplay {
  readonly toolProgress: 'off' | 'new' | 'all' | 'verbose';
  readonly grouping: 'accumulate' | 'separate';
  readonly toolPreviewLength: number;
  readonly streaming: boolean;
  readonly interim: boolean;
  readonly longRunning: boolean;
  readonly busyAckDetail: boolean;
  readonly cleanupProgress: boolean;
  readonly showReasoning: boolean;
}

export interface StreamingSettings {
  readonly enabled: boolean;
  readonly transport: 'auto' | 'edit' | 'draft' | 'off';
  /** Seconds. */
  readonly edit_interval: number;
  readonly buffer_threshold: number;
  readonly cursor: string;
}

interface Tier {
  readonly toolProgress: ChatDisplay['toolProgress'];
  readonly preview: number;
  /** Undefined: as `streaming.enabled` says. */
  readonly streaming: false | undefined;
  readonly extras: boolean;
}

const tiers: Readonly<Record<DisplayTier, Tier>> = {
  high: { toolProgress: 'all', preview: 40, streaming: undefined, extras: true },
  medium: { toolProgress: 'new', preview: 40, streaming: undefined, extras: true },
  low: { toolProgress: 'off', preview: 40, streaming: false, extras: false },
  minimal: { toolProgress: 'off', preview: 0, streaming: false, extras: false },
};

/**
 * `display` is that of config.yaml as written: `platforms.<name>.<key>`, then `tool_progress_overrides.<name>`, then the
 * key itself (not for `streaming`), then the tier of the platform.
 */
export function chatDisplay(
  facts: Pick<PlatformFacts, 'name' | 'tier' | 'display'>,
  display: Readonly<Record<string, unknown>>,
  streaming: StreamingSettings,
): ChatDisplay {
  const own = recordOf(recordOf(display['platforms'])[facts.name]);
  const tier = tiers[facts.tier];
  const find = (key: string): unknown => own[key] ?? display[key];
  const flag = (key: string, fallback: boolean): boolean => onOff(find(key)) ?? fallback;
  const progress =
    progressOf(own['tool_progress']) ??
    progressOf(recordOf(display['tool_progress_overrides'])[facts.name]) ??
    progressOf(display['tool_progress']);
  const streams = onOff(own['streaming']) ?? facts.display?.streaming ?? tier.streaming ?? streaming.enabled;
  const length = find('tool_preview_length');
  return {
    toolProgress: progress ?? facts.display?.toolProgress ?? tier.toolProgress,
    grouping: find('tool_progress_grouping') === 'separate' ? 'separate' : 'accumulate',
    toolPreviewLength: typeof length === 'number' ? length : tier.preview,
    streaming: streams && streaming.transport !== 'off',
    interim: flag('interim_assistant_messages', tier.extras),
    longRunning: flag('long_running_notifications', tier.extras),
    busyAckDetail: flag('busy_ack_detail', facts.display?.busyAckDetail ?? tier.extras),
    cleanupProgress: flag('cleanup_progress', false),
    showReasoning: flag('show_reasoning', false),
  };
}

const progressWords = ['off', 'new', 'all', 'verbose'] as const;

/** YAML reads `off` as false; `log` is for the log alone. */
function progressOf(value: unknown): ChatDisplay['toolProgress'] | undefined {
  if (value === false || value === 'log') return 'off';
  if (value === true) return 'all';
  return progressWords.find((word) => word === value);
}

function onOff(value: unknown): boolean | undefined {
  if (typeof value === 'boolean') return value;
  if (value === 'off' || value === 'false' || value === 'no') return false;
  return value === 'on' || value === 'true' || value === 'yes' || value === 'generic' ? true : undefined;
}

function recordOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? { ...value } : {};
}
