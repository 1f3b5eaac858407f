/** Between the messages of MCP sampling and those of models. */
import * as z from 'zod';
import { isJsonObject, parseJson } from '../lib/json.ts';
import type { ContentPart, Message, ToolCall } from '../llm/message.ts';
import type { SideAnswer, SideRequest } from '../llm/side-task.ts';
import { mendSchema } from '../agent/mend-schema.ts';

export interface SampleRequest {
  readonly side: SideRequest;
  readonly maxTokens?: number;
  /** The model that the server would like best. */
  readonly hint?: string;
}

const maxMessages = 200;
const maxTools = 64;

const block = z.discriminatedUnion('type', [
  z.looseObject({ type: z.literal('text'), text: z.string() }),
  z.looseObject({ type: z.literal('image'), data: z.string(), mimeType: z.string() }),
  z.looseObject({ type: z.literal('audio'), data: z.string() }),
  z.looseObject({
    type: z.literal('tool_use'),
    id: z.string(),
    name: z.string(),
    input: z.record(z.string(), z.unknown()).catch({}),
  }),
  z.looseObject({
    type: z.literal('tool_result'),
    toolUseId: z.string(),
    content: z.array(z.looseObject({ type: z.string(), text: z.string().optional() })).catch([]),
  }),
]);

type Block = z.infer<typeof block>;

const paramsShape = z.looseObject({
  messages: z
    .array(z.looseObject({ role: z.enum(['user', 'assistant']), content: z.union([block, z.array(block)]) }))
    .max(maxMessages),
  systemPrompt: z.string().optional(),
  temperature: z.number().optional(),
  maxTokens: z.number().int().min(1).optional(),
  modelPreferences: z
    .looseObject({ hints: z.array(z.looseObject({ name: z.string().optional() })).optional() })
    .optional()
    .catch(undefined),
  tools: z
    .array(z.looseObject({ name: z.string(), description: z.string().optional(), inputSchema: z.unknown().optional() }))
    .max(maxTools)
    .optional(),
});

/** Throws for a request that is none. */
export function askedRequest(params: unknown): SampleRequest {
  const read = paramsShape.safeParse(params);
  if (!read.success) throw new Error('Invalid sampling request');
  const { messages, systemPrompt, temperature, maxTokens, modelPreferences, tools = [] } = read.data;
  const hint = modelPreferences?.hints?.[0]?.name;
  const system: readonly Message[] = systemPrompt === undefined ? [] : [{ role: 'system', content: systemPrompt }];
  const said = messages.flatMap(({ role, content }) => messagesOf(role, Array.isArray(content) ? content : [content]));
  return {
    side: {
      messages: [...system, ...said],
      ...(temperature === undefined ? {} : { temperature }),
      ...(tools.length === 0
        ? {}
        : {
            tools: tools.map(({ name, description = '', inputSchema }) => ({
              name,
              description,
              parameters: mendSchema(inputSchema),
            })),
          }),
    },
    ...(maxTokens === undefined ? {} : { maxTokens }),
    ...(hint === undefined ? {} : { hint }),
  };
}

/** As the protocol wants it, with secrets masked. */
export function sampledAnswer(
  { text, toolCalls, model, stopReason }: SideAnswer,
  redact: (text: string) => string,
): Record<string, unknown> {
  const said = { type: 'text', text: redact(text) };
  if (toolCalls.length === 0) {
    return { role: 'assistant', content: said, model, stopReason: stopReason === 'length' ? 'maxTokens' : 'endTurn' };
  }
  const uses = toolCalls.map(({ id, function: { name, arguments: written } }) => {
    const input = parseJson(redact(written));
    return { type: 'tool_use', id, name, input: isJsonObject(input) ? input : {} };
  });
  return { role: 'assistant', content: [...(text === '' ? [] : [said]), ...uses], model, stopReason: 'toolUse' };
}

function messagesOf(role: 'user' | 'assistant', blocks: readonly Block[]): readonly Message[] {
  const results = blocks.flatMap((one): readonly Message[] =>
    one.type === 'tool_result' ? [{ role: 'tool', tool_call_id: one.toolUseId, content: joined(one.content) }] : [],
  );
  if (role === 'user') {
    const parts = blocks.flatMap(partOf);
    return [...results, ...(parts.length === 0 ? [] : [{ role: 'user', content: parts } as const])];
  }
  const calls = blocks.flatMap((one): readonly ToolCall[] =>
    one.type === 'tool_use'
      ? [{ id: one.id, type: 'function', function: { name: one.name, arguments: JSON.stringify(one.input) } }]
      : [],
  );
  const content = joined(blocks.flatMap((one) => (one.type === 'text' ? [one] : [])));
  const message = { role: 'assistant', content: content === '' ? null : content } as const;
  return [calls.length === 0 ? message : { ...message, tool_calls: calls }, ...results];
}

function partOf(one: Block): readonly ContentPart[] {
  if (one.type === 'text') return [{ type: 'text', text: one.text }];
  if (one.type !== 'image') return [];
  return [{ type: 'image_url', image_url: { url: `data:${one.mimeType};base64,${one.data}` } }];
}

function joined(blocks: readonly { readonly text?: string | undefined }[]): string {
  return blocks.map(({ text = '' }) => text).join('\n');
}
