/** A conversation that a chat takes over, as a gateway writes it down. */
import type { TakenOver } from '../../src/sessions/handoffs.ts';
import { newRoute } from '../../src/sessions/route-entry.ts';

export const chatKey = 'agent:main:telegram:dm:7';

export function takenOver(sessionId: string, before?: string): TakenOver {
  const chat = { session_key: chatKey, session_id: sessionId, display_name: 'Ann', platform: 'telegram' };
  return {
    route: newRoute({ ...chat, chat_type: 'dm' }, { startedAt: 1000, now: 1000 }),
    before,
    message: {
      platform: 'telegram',
      eventId: `handoff.${sessionId}`,
      sessionKey: chatKey,
      event: '{}',
      receivedAt: 1000,
    },
  };
}
