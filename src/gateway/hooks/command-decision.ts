/** What an event hook says to a command. */
import * as z from 'zod';
import type { JsonValue } from '../../lib/json.ts';
import type { CommandDecision } from '../chats/chat-deps.ts';

const message = z.string().optional().catch(undefined);

const decision = z.discriminatedUnion('decision', [
  z.looseObject({ decision: z.literal(['deny', 'handled']), message }),
  z.looseObject({
    decision: z.literal('rewrite'),
    command_name: z.string().transform((name) => name.trim().replace(/^\/+/, '').toLowerCase().replaceAll('_', '-')),
    raw_args: z.string().default(''),
  }),
]);

/** Whatever is not understood lets the command pass. */
export function readDecision(returned: JsonValue | undefined): CommandDecision {
  const { data } = decision.safeParse(returned);
  if (data === undefined) return { as: 'allow' };
  if (data.decision !== 'rewrite') return { as: data.decision, message: data.message };
  return data.command_name === ''
    ? { as: 'allow' }
    : { as: 'rewrite', name: data.command_name, args: data.raw_args.trim() };
}
