/** What happens while this server runs: `events_poll` and `events_wait`. */
import * as z from 'zod';
import { type BridgeTool, bridgeTool, optionalText, within } from './bridge-tool.ts';
import type { EventQueue } from './event-queue.ts';

const maxWaitMs = 300_000;
const onlyOf = optionalText('Only those of this conversation');

export function eventTools(events: EventQueue): readonly BridgeTool[] {
  return [
    bridgeTool({
      name: 'events_poll',
      description:
        'Returns what has happened in conversations since a cursor, oldest first, and the next_cursor for the next poll. Types: message, approval_requested, approval_resolved. Events begin with the start of this server; the newest 1000 are kept.',
      parameters: z.object({
        after_cursor: z.int().default(0).describe('Events after this one; 0 for all'),
        session_key: onlyOf,
        limit: z.int().default(20).describe('How many at most: 1 to 200'),
      }),
      run({ after_cursor: cursor, session_key: sessionKey, limit }) {
        const after = Math.max(0, cursor);
        const found = events.find({ after, sessionKey: sessionKey || null }, within(limit, 1, 200));
        return { events: found, next_cursor: found.at(-1)?.cursor ?? after };
      },
    }),
    bridgeTool({
      name: 'events_wait',
      description:
        'Waits for the next event after a cursor and returns it, or null when none comes in time. Use it instead of polling.',
      parameters: z.object({
        after_cursor: z.int().default(0).describe('The event after this one'),
        session_key: onlyOf,
        timeout_ms: z.int().default(30_000).describe('How long to wait in milliseconds, at most 300000'),
      }),
      async run({ after_cursor: cursor, session_key: sessionKey, timeout_ms: ms }, signal) {
        const filter = { after: Math.max(0, cursor), sessionKey: sessionKey || null };
        const event = await events.next(filter, within(ms, 0, maxWaitMs), signal);
        return event === undefined ? { event: null, reason: 'timeout' } : { event };
      },
    }),
  ];
}
