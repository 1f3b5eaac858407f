/** What a chat and the agent are told when a conversation was started afresh on its own. */
import type { ResetReason, ResetRule } from './reset-policy.ts';

/** The line for the chat; undefined for a reset that was expected with each message. */
export function resetNotice(reason: ResetReason, rule: ResetRule): string | undefined {
  const why = whyOf(reason, rule);
  return why === undefined ? undefined : `◐ Session automatically reset (${why}). Earlier messages are no longer read.`;
}

/** The note that goes to the agent with the first message of the new conversation. */
export function resetNote(reason: ResetReason, rule: ResetRule): string | undefined {
  const why = whyOf(reason, rule);
  return why === undefined ? undefined : `[System note: this is a new conversation; the last one was ended (${why}).]`;
}

/** Whether the chat is told: not when it is switched off, not where nobody reads, not when nothing is lost. */
export function tellsReset(
  settings: {
    readonly notify?: boolean | undefined;
    readonly notify_exclude_platforms?: readonly string[] | undefined;
  },
  old: { readonly platform: string; readonly totalTokens: number },
): boolean {
  const { notify = true, notify_exclude_platforms: excluded = ['api_server', 'webhook'] } = settings;
  return notify && !excluded.includes(old.platform) && old.totalTokens > 0;
}

function whyOf(reason: ResetReason, { idleMinutes, atHour }: ResetRule): string | undefined {
  switch (reason) {
    case 'idle':
      return `idle for more than ${duration(idleMinutes)}`;
    case 'daily':
      return `daily at ${String(atHour).padStart(2, '0')}:00`;
    case 'suspended':
      return 'the last one was stopped';
    case 'resume_pending_expired':
      return 'an interrupted answer was too old to be continued';
    case 'per_message':
      return undefined;
  }
}

function duration(minutes: number): string {
  if (minutes % 1440 === 0) return minutes === 1440 ? 'a day' : `${minutes / 1440} days`;
  if (minutes % 60 === 0) return minutes === 60 ? 'an hour' : `${minutes / 60} hours`;
  return minutes === 1 ? 'a minute' : `${minutes} minutes`;
}
