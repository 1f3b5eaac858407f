/** When the conversation of a chat is over, by the rules of its owner. */
import type { RouteEntry } from '../../sessions/chat-routes.ts';
import type { GatewaySettings } from '../gateway-settings.ts';
import type { SessionSource } from '../platform/session-source.ts';
import { resetReason, resetRuleFor } from '../sessions/reset-policy.ts';

export interface ConversationNow {
  readonly now: Date;
  /** When the background processes began that keep it alive. */
  readonly processesSince: readonly Date[];
}

/** Why it is over and by which rule; undefined while it goes on. */
export function whyOver(
  { reset, timezone, resumeSeconds }: Pick<GatewaySettings, 'reset' | 'timezone' | 'resumeSeconds'>,
  entry: RouteEntry,
  source: SessionSource,
  { now, processesSince }: ConversationNow,
) {
  const rule = resetRuleFor(reset, source);
  const marked = entry.resume_pending ? entry.last_resume_marked_at : null;
  const reason = resetReason(rule, {
    now,
    updatedAt: new Date(entry.updated_at),
    timeZone: timezone,
    suspended: entry.suspended,
    processesSince,
    ...(marked === null ? {} : { resumePendingSince: new Date(marked) }),
    resumeFreshForMs: resumeSeconds * 1000,
  });
  return reason === undefined ? undefined : { reason, rule };
}
