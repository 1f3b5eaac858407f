/** When a chat's conversation starts afresh. */
import { latestHour } from './latest-hour.ts';

export type ResetMode = 'daily' | 'idle' | 'both' | 'none' | 'per_message';

export interface ResetRule {
  readonly mode: ResetMode;
  /** Hour of the day from which yesterday's conversation is over. */
  readonly atHour: number;
  readonly idleMinutes: number;
}

/** A rule as a configuration has it; what it leaves out is as in `defaultReset`. */
export interface ConfiguredReset {
  readonly mode?: unknown;
  readonly at_hour?: unknown;
  readonly idle_minutes?: unknown;
}

export interface ResetSettings {
  readonly session_reset?: ConfiguredReset | undefined;
  readonly reset_by_platform?: Readonly<Record<string, ConfiguredReset>> | undefined;
  readonly reset_by_type?: Readonly<Record<string, ConfiguredReset>> | undefined;
}

/** A chat keeps its conversation unless somebody says otherwise. */
const defaultReset: ResetRule = { mode: 'none', atHour: 4, idleMinutes: 1440 };

/** Why a conversation is over. */
export type ResetReason = 'idle' | 'daily' | 'suspended' | 'resume_pending_expired' | 'per_message';

export interface ResetFacts {
  readonly now: Date;
  /** IANA zone of the configuration; empty or absent for that of the machine. */
  readonly timeZone?: string | undefined;
  readonly updatedAt: Date;
  /** Ended by an operator, or by `/stop` of a turn that hung. */
  readonly suspended?: boolean | undefined;
  /** Since when an interrupted turn waits to be taken up again, and how long that makes sense. */
  readonly resumePendingSince?: Date | undefined;
  readonly resumeFreshForMs?: number | undefined;
  /** Starts of the background processes of the conversation that still run. */
  readonly processesSince?: readonly Date[] | undefined;
  /** An older process no longer keeps a conversation alive. */
  readonly processMaxAgeHours?: number | undefined;
}

/** The rule of a chat: that of its platform, else that of its kind of chat, else the general one. */
export function resetRuleFor(
  settings: ResetSettings,
  chat: { readonly platform: string; readonly chat_type: string },
  warn: (warning: string) => void = () => {},
): ResetRule {
  const { reset_by_platform: byPlatform = {}, reset_by_type: byType = {}, session_reset: general = {} } = settings;
  if (Object.hasOwn(byPlatform, chat.platform)) {
    return readResetRule(byPlatform[chat.platform] ?? {}, `reset_by_platform.${chat.platform}`, warn);
  }
  if (Object.hasOwn(byType, chat.chat_type)) {
    return readResetRule(byType[chat.chat_type] ?? {}, `reset_by_type.${chat.chat_type}`, warn);
  }
  return readResetRule(general, 'session_reset', warn);
}

/** Reads a configured rule; what makes no sense is warned about and replaced by the default. */
function readResetRule(configured: ConfiguredReset, where: string, warn: (warning: string) => void): ResetRule {
  const { mode, at_hour: hour, idle_minutes: idle } = configured;
  return {
    mode: readMode(mode, where, warn),
    atHour: readNumber(hour, isHour, defaultReset.atHour, `${where}.at_hour has to be an hour from 0 to 23`, warn),
    idleMinutes: readNumber(
      idle,
      isPositive,
      defaultReset.idleMinutes,
      `${where}.idle_minutes has to be more than 0`,
      warn,
    ),
  };
}

/** Why the next message starts a new conversation; undefined when it goes on with this one. */
export function resetReason(rule: ResetRule, facts: ResetFacts): ResetReason | undefined {
  if (facts.suspended === true) return 'suspended';
  if (rule.mode === 'none') return undefined;
  if (isResumeStale(facts)) return 'resume_pending_expired';
  if (keepsProcess(facts)) return undefined;
  if (rule.mode === 'per_message') return 'per_message';
  return isIdle(rule, facts) ? 'idle' : isOfYesterday(rule, facts) ? 'daily' : undefined;
}

function isResumeStale({ now, resumePendingSince, resumeFreshForMs }: ResetFacts): boolean {
  if (resumePendingSince === undefined || resumeFreshForMs === undefined) return false;
  return now.getTime() - resumePendingSince.getTime() > resumeFreshForMs;
}

function keepsProcess({ now, processesSince = [], processMaxAgeHours = 24 }: ResetFacts): boolean {
  return processesSince.some((since) => now.getTime() - since.getTime() <= processMaxAgeHours * 3_600_000);
}

function isIdle({ mode, idleMinutes }: ResetRule, { now, updatedAt }: ResetFacts): boolean {
  if (mode !== 'idle' && mode !== 'both') return false;
  return now.getTime() > updatedAt.getTime() + idleMinutes * 60_000;
}

function isOfYesterday({ mode, atHour }: ResetRule, { now, updatedAt, timeZone }: ResetFacts): boolean {
  if (mode !== 'daily' && mode !== 'both') return false;
  return updatedAt.getTime() < latestHour(atHour, now, timeZone).getTime();
}

/** The words of 0.19 and those of an older vocabulary. */
const MODES: ReadonlyMap<string, ResetMode> = new Map([
  ['daily', 'daily'],
  ['idle', 'idle'],
  ['both', 'both'],
  ['none', 'none'],
  ['per_message', 'per_message'],
  ['per_conversation', 'both'],
  ['never', 'none'],
]);

function readMode(mode: unknown, where: string, warn: (warning: string) => void): ResetMode {
  if (mode === undefined || mode === null) return defaultReset.mode;
  if (mode === false) return 'none';
  const known = typeof mode === 'string' ? MODES.get(mode.trim().toLowerCase()) : undefined;
  if (known === undefined) warn(`${where}.mode has to be one of ${[...MODES.keys()].join(', ')}; using none`);
  return known ?? defaultReset.mode;
}

function readNumber(
  value: unknown,
  isValid: (value: number) => boolean,
  fallback: number,
  problem: string,
  warn: (warning: string) => void,
): number {
  if (value === undefined || value === null) return fallback;
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
  if (typeof number === 'number' && isValid(number)) return number;
  warn(`${problem}; using ${fallback}`);
  return fallback;
}

const isHour = (value: number): boolean => Number.isInteger(value) && value >= 0 && value <= 23;
const isPositive = (value: number): boolean => Number.isFinite(value) && value > 0;
