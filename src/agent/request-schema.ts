/** A request to a model in the shape of chat completions, as code of others gives it back: parsed before anything of it is used. */
import * as z from 'zod';
import { errorMessage } from '../lib/errors.ts';
import { isJsonObject, type JsonObject, nestsTooDeep, parseJson } from '../lib/json.ts';
import type { ToolCall } from '../llm/message.ts';

const textPart = z.object({ type: z.literal('text'), text: z.string() });
const picturePart = z.object({
  type: z.literal('image_url'),
  image_url: z.object({
    // A path would be read by nobody, and must not be.
    url: z.string().regex(/^(?:data:|https?:\/\/)/i, 'must begin with data:, http:// or https://'),
    detail: z.enum(['auto', 'low', 'high']).exactOptional(),
  }),
});
const content = z.union([z.string().min(1), z.array(z.union([textPart, picturePart])).min(1)]);
const called = z.object({
  id: z.string().min(1),
  type: z.literal('function').default('function'),
  function: z.object({ name: z.string().min(1), arguments: z.string() }),
});
const calls: z.ZodType<ToolCall[]> = z.array(called);
const message = z.discriminatedUnion('role', [
  z.object({ role: z.literal('system'), content: z.string() }),
  z.object({ role: z.literal('user'), content }),
  z.object({
    role: z.literal('assistant'),
    content: z
      .string()
      .nullish()
      .transform((text) => text ?? null),
    tool_calls: calls.nullish().transform((list) => list ?? []),
  }),
  z.object({ role: z.literal('tool'), tool_call_id: z.string(), content: z.union([z.string(), content]) }),
]);
const offered = z.object({
  type: z.literal('function').default('function'),
  function: z.object({
    name: z.string().min(1),
    description: z.string().default(''),
    parameters: z.record(z.string(), z.json()).default({}),
  }),
});

const request = z
  .object({
    model: z.string().nullish(),
    stream: z.boolean().nullish(),
    messages: z.array(message).min(1),
    tools: z.array(offered).nullish(),
    max_tokens: z.number().int().positive().nullish(),
    temperature: z.number().min(0).max(2).nullish(),
    reasoning_effort: z.enum(['none', 'minimal', 'low', 'medium', 'high', 'xhigh']).nullish(),
  })
  .catchall(z.json());

export type GivenRequest = z.infer<typeof request>;
export type GivenMessage = GivenRequest['messages'][number];

/** What a request may have, in characters, beyond the one that it was made of. */
const moreChars = 4_000_000;

/** The request, or one line that says what is wrong with it. `charsBefore` are those of the one that was given out. */
export function parseRequest(
  given: JsonObject,
  charsBefore: number,
): { readonly request: GivenRequest } | { readonly problem: string } {
  const copy = plainCopy(given, charsBefore + moreChars);
  if ('problem' in copy) return copy;
  const { success, data, error } = request.safeParse(copy.value);
  if (success) return { request: data };
  const [issue] = error.issues;
  return { problem: `${issue?.path.join('.') ?? ''}: ${issue?.message ?? 'it is no request'}` };
}

/** Data and nothing else: no function, no getter, nothing that its maker can change later. */
export function plainCopy(
  given: unknown,
  maxChars: number,
): { readonly value: JsonObject } | { readonly problem: string } {
  let text: string | undefined;
  try {
    text = JSON.stringify(given);
  } catch (error) {
    return { problem: `it is no JSON: ${errorMessage(error)}` };
  }
  if (text === undefined || text.length > maxChars) return { problem: `it has more than ${maxChars} characters` };
  const value = nestsTooDeep(text) ? undefined : parseJson(text);
  return isJsonObject(value) ? { value } : { problem: 'it is no JSON object, or nested too deep' };
}
