/**
 * What `Converse` and `ConverseStream` are called with.
 * https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_Converse.html
 */
import type {
  CachePointBlock,
  ConverseStreamCommandInput,
  InferenceConfiguration,
  SystemContentBlock,
  Tool,
  Message as WireMessage,
} from '@aws-sdk/client-bedrock-runtime';
import * as z from 'zod';
import type { JsonObject } from '../../../lib/json.ts';
import { claudeOutputCap } from '../claude-limits.ts';
import type { Endpoint } from '../../endpoint.ts';
import type { ModelRequest, ToolSchema } from '../../protocol.ts';
import { objectOf } from '../read-json.ts';
import { systemText, toConverseMessages } from './converse-messages.ts';
import { cachePlaces, type Thinking, thinkingFor } from './model-family.ts';
import { wireName } from './wire-names.ts';

/** Anthropic asks for this much room behind the budget for thinking. */
const roomBehindThinking = 4096;
/** Bedrock takes four marks; one is for the tools, one for the system prompt. */
const markedMessages = 2;

/** Good for both commands, but for `guardrailConfig`, which differs: see `guardrailOf`. */
type ConverseInput = Omit<ConverseStreamCommandInput, 'guardrailConfig'>;

export function converseInput(request: ModelRequest, endpoint: Endpoint, replayThoughts = true): ConverseInput {
  const { model, tools } = request;
  const system = systemText(request.messages);
  const marks = cacheMarks(request);
  const messages = toConverseMessages(request.messages, { model, toolBlocks: tools.length > 0, replayThoughts });
  const thinking = mayThink(messages, thinkingFor(request));
  const { known, other } = splitExtra({ ...endpoint.extraBody, ...request.extraBody });
  const additional = { ...thinking?.fields, ...other };
  const inference = inferenceConfig(request, thinking);
  return {
    modelId: model,
    messages: marks.messages === undefined ? messages : markMessages(messages, marks.messages),
    ...(system === '' ? {} : { system: withMark<SystemContentBlock>([{ text: system }], marks.messages) }),
    ...(tools.length === 0 ? {} : { toolConfig: { tools: withMark<Tool>(tools.map(toTool), marks.tools) } }),
    ...(Object.keys(inference).length === 0 ? {} : { inferenceConfig: inference }),
    ...(Object.keys(additional).length === 0 ? {} : { additionalModelRequestFields: additional }),
    ...(request.priority === true ? { serviceTier: { type: 'priority' } } : {}),
    ...known,
  };
}

/** The guardrail in the form that both commands share; a stream can be told how to work with it. */
export function guardrailOf(endpoint: Endpoint) {
  const guardrail = endpoint.bedrock?.guardrail;
  if (guardrail === undefined) return undefined;
  return {
    guardrailIdentifier: guardrail.identifier,
    guardrailVersion: guardrail.version,
    ...(guardrail.trace === undefined ? {} : { trace: guardrail.trace }),
  };
}

/** Claude with a budget refuses to go on thinking behind calls that it made without, as another model may have. */
function mayThink(messages: readonly WireMessage[], thinking: Thinking | undefined): Thinking | undefined {
  if (thinking === undefined || thinking.budget === 0) return thinking;
  const last = messages.findLast(({ role }) => role === 'assistant')?.content ?? [];
  const callsWithout = last.some((block) => block.toolUse !== undefined) && last[0]?.reasoningContent === undefined;
  return callsWithout ? undefined : thinking;
}

function inferenceConfig({ model, maxTokens, temperature }: ModelRequest, thinking: Thinking | undefined) {
  const config: InferenceConfiguration = {};
  const budget = thinking?.budget ?? 0;
  if (budget > 0) config.maxTokens = Math.max(maxTokens ?? claudeOutputCap(model) ?? 0, budget + roomBehindThinking);
  else if (maxTokens !== undefined) config.maxTokens = maxTokens;
  if (temperature !== undefined && thinking?.fixedTemperature !== true) config.temperature = temperature;
  return config;
}

function toTool({ name, description, parameters }: ToolSchema): Tool {
  return {
    toolSpec: {
      name: wireName(name),
      ...(description.trim() === '' ? {} : { description }),
      inputSchema: { json: { ...parameters, type: 'object' } },
    },
  };
}

interface Marks {
  readonly tools: CachePointBlock | undefined;
  readonly messages: CachePointBlock | undefined;
}

function cacheMarks({ model, cacheTtl }: ModelRequest): Marks {
  if (cacheTtl === undefined) return { tools: undefined, messages: undefined };
  const places = cachePlaces(model);
  const mark: CachePointBlock = { type: 'default', ...(cacheTtl === '1h' && places.hour ? { ttl: '1h' } : {}) };
  return { tools: places.tools ? mark : undefined, messages: places.messages ? mark : undefined };
}

function withMark<Block>(
  blocks: readonly Block[],
  mark: CachePointBlock | undefined,
): (Block | { cachePoint: CachePointBlock })[] {
  return mark === undefined ? [...blocks] : [...blocks, { cachePoint: mark }];
}

/** The last user messages: the next request begins with the same messages, up to here. */
function markMessages(messages: readonly WireMessage[], mark: CachePointBlock): WireMessage[] {
  const ofUser = messages.flatMap(({ role }, index) => (role === 'user' ? [index] : []));
  const marked = new Set(ofUser.slice(-markedMessages));
  return messages.map((message, index) =>
    marked.has(index) ? { ...message, content: [...(message.content ?? []), { cachePoint: mark }] } : message,
  );
}

/** Fields of the Converse format itself that are worth setting; `safeParse` leaves the others out. */
const extraSchema = z.object({
  performanceConfig: z.object({ latency: z.enum(['standard', 'optimized']) }).exactOptional(),
  serviceTier: z.object({ type: z.enum(['priority', 'default', 'flex', 'reserved']) }).exactOptional(),
  requestMetadata: z.record(z.string(), z.string()).exactOptional(),
  additionalModelResponseFieldPaths: z.array(z.string()).exactOptional(),
});

/** Everything that Converse does not know by itself is a field of the model. */
function splitExtra(extra: JsonObject): { readonly known: z.infer<typeof extraSchema>; readonly other: JsonObject } {
  const parsed = extraSchema.safeParse(extra);
  const known = parsed.success ? parsed.data : {};
  const { additionalModelRequestFields: fields, ...rest } = extra;
  const other = Object.fromEntries(Object.entries(rest).filter(([key]) => !Object.hasOwn(known, key)));
  return { known, other: { ...other, ...objectOf(fields) } };
}
