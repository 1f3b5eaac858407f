/** The history of a stored response as messages again: what this program or the original wrote. */
import * as z from 'zod';
import type { JsonValue } from '../../../lib/json.ts';
import type { HistoryMessage } from '../../../llm/message.ts';

const source = z.object({
  from: z.enum(['user', 'agent', 'tool', 'file', 'skill', 'page', 'program', 'server', 'chat', 'unknown']),
  name: z.string().exactOptional(),
});
const sources = z.array(source).exactOptional();
const part = z.union([
  z.object({ type: z.literal('text'), text: z.string() }),
  z.object({
    type: z.literal('image_url'),
    image_url: z.object({ url: z.string(), detail: z.enum(['auto', 'low', 'high']).exactOptional() }),
  }),
]);
const content = z.union([z.string(), z.array(part)]);
const call = z.object({
  id: z.string(),
  type: z.literal('function'),
  function: z.object({ name: z.string(), arguments: z.string() }),
  extra_content: z.json().exactOptional(),
});

const message = z.discriminatedUnion('role', [
  z.object({
    role: z.literal('user'),
    content,
    kind: z.enum(['said', 'steer', 'note', 'summary', 'recap', 'bridge']).exactOptional(),
    setAside: z.literal(true).exactOptional(),
    sources,
  }),
  z.object({
    role: z.literal('assistant'),
    content: z.string().nullable().catch(null),
    tool_calls: z.array(call).exactOptional(),
    reasoning: z.string().exactOptional(),
    reasoning_content: z.string().exactOptional(),
    reasoning_details: z.json().exactOptional(),
    codex_reasoning_items: z.json().exactOptional(),
    codex_message_items: z.json().exactOptional(),
    finish_reason: z.string().exactOptional(),
    kind: z.enum(['answer', 'interrupted', 'note', 'summary', 'bridge']).exactOptional(),
    sources,
  }),
  z.object({
    role: z.literal('tool'),
    tool_call_id: z.string(),
    tool_name: z.string().exactOptional(),
    content,
    kind: z.enum(['result', 'unknown']).exactOptional(),
    effect: z.literal('none').exactOptional(),
    sources,
  }),
]);

/** What is no message is left out; the agent mends what no longer fits together. */
export function readHistory(messages: readonly JsonValue[]): readonly HistoryMessage[] {
  return messages.flatMap((given) => message.safeParse(given).data ?? []);
}
