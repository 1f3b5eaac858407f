/** The settings of the gateway, read once. */
import type { Config, LoadedConfig } from '../config/load.ts';
import type { ChatSettings } from './chats/chat-deps.ts';
import type { Pause } from './delivery/send-files.ts';
import type { StreamingSettings } from './display/streaming.ts';
import type { ResetSettings } from './sessions/reset-policy.ts';
import { tellsReset } from './sessions/reset-words.ts';

export interface GatewaySettings extends ChatSettings {
  readonly streaming: StreamingSettings;
  /** `display` as written: what is not in it follows the tier of the platform. */
  readonly display: Readonly<Record<string, unknown>>;
  readonly reset: ResetSettings;
  readonly groupSessionsPerUser: boolean;
  readonly threadSessionsPerUser: boolean;
  readonly connectTimeoutMs: number;
  readonly disconnectMs: number;
  readonly drainMs: number;
  readonly timezone: string;
  /** `privacy.redact_pii` */
  readonly redactPii: boolean;
  /** The index of chats is copied to `sessions/sessions.json`. */
  readonly mirrorsRoutes: boolean;
  /** Days after which a chat that nobody writes in is forgotten; 0: never. */
  readonly routeDays: number;
  /** Most chats that are answered at the same time; 0 sets no limit. */
  readonly maxBusyChats: number;
  /** `human_delay`: between the things of one reply. */
  readonly pause: Pause | undefined;
  /** Texts that only tell of silence are not sent. */
  readonly filtersSilence: boolean;
}

/** What is read of the configuration. */
type Read = Pick<LoadedConfig, 'config' | 'raw' | 'source' | 'process'>;

export function gatewaySettings(loaded: Read): GatewaySettings {
  const { config, raw, source } = loaded;
  const { agent, approvals, compression, display, session_reset: reset } = config;
  // Who answers elsewhere keeps the time there, and shortens what is long.
  const elsewhere = config.gateway.proxy_url.trim() !== '';
  return {
    busyMode: busyMode(display),
    busyAcks: display.busy_ack_enabled,
    steerAcks: source('display.busy_steer_ack_enabled') === 'env' ? display.busy_steer_ack_enabled : undefined,
    approvalSeconds: approvals.timeout,
    clarifySeconds: agent.clarify_timeout,
    resumeSeconds: agent.gateway_auto_continue_freshness,
    streaming: config.streaming,
    display: recordOf(raw['display']),
    reset: { session_reset: reset, reset_by_platform: config.reset_by_platform, reset_by_type: config.reset_by_type },
    tellsReset: (old) => tellsReset(reset, old),
    times: { shown: config.gateway.message_timestamps.enabled, zone: config.timezone },
    hygiene: { enabled: compression.enabled && !elsewhere, mostMessages: compression.hygiene_hard_message_limit },
    silentSeconds: elsewhere ? 0 : agent.gateway_timeout,
    silentWarningSeconds: elsewhere ? 0 : agent.gateway_timeout_warning,
    noteSeconds: agent.gateway_notify_interval,
    groupSessionsPerUser: config.group_sessions_per_user,
    threadSessionsPerUser: config.thread_sessions_per_user,
    connectTimeoutMs: config.gateway.platform_connect_timeout * 1000,
    disconnectMs: loaded.process.disconnectSeconds * 1000,
    drainMs: agent.restart_drain_timeout * 1000,
    timezone: config.timezone,
    redactPii: config.privacy.redact_pii,
    mirrorsRoutes: config.gateway.write_sessions_json,
    routeDays: config.gateway.session_store_max_age_days,
    maxBusyChats: config.max_concurrent_sessions ?? config.gateway.max_concurrent_sessions ?? 0,
    filtersSilence: config.filter_silence_narration,
    pause: pauseOf(config.human_delay),
  };
}

/** The older word speaks of texts, and everything else waits anyway. */
function busyMode({ busy_input_mode: mode, busy_text_mode: older }: Config['display']): ChatSettings['busyMode'] {
  return mode === 'interrupt' && older === 'queue' ? 'queue' : mode;
}

const natural: Pause = { least: 800, most: 2500 };

function pauseOf({ mode, min_ms: least, max_ms: most }: Config['human_delay']): Pause | undefined {
  if (mode === 'off') return undefined;
  return mode === 'natural' ? natural : { least, most };
}

function recordOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : {};
}
