/** Requests to models that middleware changed: what it is given, and what of its answer is sent. */
import { isJsonObject, type JsonObject, type JsonValue, sameJson } from '../lib/json.ts';
import { weighMessage, weighTools } from '../llm/estimate.ts';
import type { AssistantMessage, HistoryMessage, Message, ToolCall } from '../llm/message.ts';
import type { ModelRequest, ModelRoute, ToolSchema } from '../llm/protocol.ts';
import { pairCalls, repairHistory } from './history.ts';
import { isSecretKey, plainMessages, requestBody } from './hook-payload.ts';
import { type GivenMessage, type GivenRequest, parseRequest } from './request-schema.ts';

export interface ChangedRequest {
  readonly request: ModelRequest;
  /** It holds text that the one before did not: what the model says of it is not from here alone. */
  readonly bringsText: boolean;
}

/** What middleware is given of a request: no headers, and no field in which a key may stand. */
export function shownRequest(request: ModelRequest): JsonObject {
  return requestBody({ ...request, extraBody: split(request.extraBody).open });
}

/** The request that middleware gave back, or one line that says why it cannot be sent. */
export function changedRequest(
  given: JsonObject,
  before: ModelRequest,
  route: Pick<ModelRoute, 'contextLength' | 'vision'>,
): ChangedRequest | { readonly problem: string } {
  const shown = shownRequest(before);
  const parsed = parseRequest(given, JSON.stringify(shown).length);
  if ('problem' in parsed) return parsed;
  const { request: read } = parsed;
  const problem = outOfReach(read, before) ?? unknownTool(read, before.tools);
  if (problem !== undefined) return { problem };
  const { messages, model: _, stream: __, tools, max_tokens, temperature, reasoning_effort, ...more } = read;
  const joined = rejoin(messages, before.messages);
  const offered = offeredTools(tools ?? [], before.tools);
  const request = withParts(before, {
    messages: joined,
    tools: offered,
    maxTokens: max_tokens ?? undefined,
    temperature: temperature ?? undefined,
    reasoningEffort: reasoning_effort ?? undefined,
    extraBody: { ...more, ...split(before.extraBody).withheld },
  });
  const illegal = orderProblem(joined, before.messages) ?? sizeProblem(request, before, route);
  if (illegal !== undefined) return { problem: illegal };
  const known = new Set<unknown>([...before.messages, ...before.tools]);
  const bringsText =
    [...joined, ...offered].some((part) => !known.has(part)) || hasNewText(request.extraBody, before.extraBody);
  return { request, bringsText };
}

/** Fields of the wire formats that hold what stands in `messages` and `tools` here, and would replace it unseen. */
const carriers: ReadonlySet<string> = new Set([
  'system',
  'input',
  'instructions',
  'contents',
  'systeminstruction',
  'system_instruction',
  'prompt',
  'functions',
  'conversation',
  'previous_response_id',
  'toolconfig',
  'tool_config',
]);

function outOfReach({ model, stream, ...rest }: GivenRequest, before: ModelRequest): string | undefined {
  if (typeof model === 'string' && model !== before.model) return 'another model is chosen with /model, not here';
  if (typeof stream === 'boolean' && stream !== before.stream) return 'stream cannot be changed';
  const shown = before.extraBody ?? {};
  const carrier = Object.keys(rest).find((key) => carriers.has(key.toLowerCase()) && !sameJson(rest[key], shown[key]));
  return carrier === undefined ? undefined : `${carrier}: what the model reads stands in messages and tools`;
}

function unknownTool({ tools }: GivenRequest, before: readonly ToolSchema[]): string | undefined {
  const names = (tools ?? []).map((tool) => tool.function.name);
  const known = new Set(before.map(({ name }) => name));
  const unknown = names.find((name) => !known.has(name));
  if (unknown !== undefined) return `the tool ${unknown.slice(0, 80)} is not there`;
  return new Set(names).size < names.length ? 'a tool is offered twice' : undefined;
}

/** In the order that they had; one that is as it was is the same object. */
function offeredTools(given: NonNullable<GivenRequest['tools']>, before: readonly ToolSchema[]): ToolSchema[] {
  const byName = new Map(given.map((tool) => [tool.function.name, tool.function]));
  return before.flatMap((own) => {
    const tool = byName.get(own.name);
    if (tool === undefined) return [];
    const { name, description, parameters } = own;
    return [sameJson(tool, { name, description, parameters }) ? own : tool];
  });
}

/** Messages that were left as they are stay the same objects, with all that providers want to have back. */
function rejoin(given: readonly GivenMessage[], before: readonly Message[]): Message[] {
  const known = new Map<string, Message[]>();
  for (const message of before) {
    const key = keyOf(message);
    known.set(key, [...(known.get(key) ?? []), message]);
  }
  const besides = new Besides(before);
  return given.map((parsed) => {
    const message = messageOf(parsed);
    return known.get(keyOf(message))?.shift() ?? besides.of(message);
  });
}

function messageOf(given: GivenMessage): Message {
  if (given.role !== 'assistant') return given;
  const { tool_calls, ...said } = given;
  return tool_calls.length === 0 ? said : { ...said, tool_calls };
}

function keyOf(message: Message): string {
  return JSON.stringify(plainMessages([message]));
}

/** What stands beside the words of a message, for those whose words were changed. */
class Besides {
  readonly #calls = new Map<string, ToolCall>();
  readonly #callers = new Map<string, AssistantMessage>();
  readonly #results = new Map<string, HistoryMessage>();

  constructor(before: readonly Message[]) {
    for (const message of before) {
      if (message.role === 'tool') this.#results.set(message.tool_call_id, message);
      if (message.role !== 'assistant' || message.tool_calls === undefined) continue;
      for (const call of message.tool_calls) this.#calls.set(call.id, call);
      this.#callers.set(idsOf(message.tool_calls), message);
    }
  }

  of(message: Message): Message {
    if (message.role === 'tool') {
      const own = this.#results.get(message.tool_call_id);
      return own?.role === 'tool' && own.tool_name !== undefined ? { ...message, tool_name: own.tool_name } : message;
    }
    if (message.role !== 'assistant' || message.tool_calls === undefined) return message;
    const calls = message.tool_calls.map((call) => {
      const own = this.#calls.get(call.id);
      return own !== undefined && sameJson(own.function, call.function) ? own : call;
    });
    const caller = this.#callers.get(idsOf(calls));
    const isSame = caller?.tool_calls?.every((call, index) => call === calls[index]) === true;
    return { ...(isSame ? thoughtsOf(caller) : {}), ...message, tool_calls: calls };
  }
}

/** Thoughts belong to the calls that they led to; the items of the text would say it as it was. */
function thoughtsOf({ reasoning, reasoning_content, reasoning_details, codex_reasoning_items }: AssistantMessage) {
  return {
    ...(reasoning === undefined ? {} : { reasoning }),
    ...(reasoning_content === undefined ? {} : { reasoning_content }),
    ...(reasoning_details === undefined ? {} : { reasoning_details }),
    ...(codex_reasoning_items === undefined ? {} : { codex_reasoning_items }),
  };
}

/** The message with what stood beside the calls of the one in whose place it stands. */
export function withBesides(message: AssistantMessage, before: AssistantMessage | undefined): AssistantMessage {
  const joined = new Besides(before === undefined ? [] : [before]).of(message);
  return joined.role === 'assistant' ? joined : message;
}

function idsOf(calls: readonly ToolCall[]): string {
  return JSON.stringify(calls.map(({ id }) => id));
}

function orderProblem(messages: readonly Message[], before: readonly Message[]): string | undefined {
  if (messages.some((message, at) => message.role === 'system' && at > 0 && !before.includes(message))) {
    return 'a system message stands in front or nowhere';
  }
  if (!['user', 'tool'].includes(messages.at(-1)?.role ?? '')) return 'the last message must be of the user or a tool';
  const [was, is] = [unsystem(before), unsystem(messages)];
  if (pairCalls(is) !== is) return 'each call of a tool needs its result right behind it, and each result its call';
  // Examples that the owner puts in front may stand as they like.
  if (repairHistory(was) === was && repairHistory(is) !== is) return 'user and assistant must take turns';
  return undefined;
}

function unsystem(messages: readonly Message[]): readonly HistoryMessage[] {
  return messages.filter((message) => message.role !== 'system');
}

function sizeProblem(
  request: ModelRequest,
  before: ModelRequest,
  { contextLength, vision }: Pick<ModelRoute, 'contextLength' | 'vision'>,
): string | undefined {
  if (vision === false && request.messages.some((message) => hasPicture(message) && !before.messages.includes(message)))
    return 'the model does not see pictures';
  const tokens = weigh(request);
  if (contextLength === undefined || tokens <= contextLength || tokens <= weigh(before)) return undefined;
  return `it has about ${tokens} tokens, and the model takes ${contextLength}`;
}

function weigh({ messages, tools }: ModelRequest): number {
  return messages.reduce((sum, message) => sum + weighMessage(message), weighTools(tools));
}

function hasPicture({ content }: Message): boolean {
  return Array.isArray(content) && content.some(({ type }) => type === 'image_url');
}

/** What middleware may see of further fields, and those in which a key may stand. */
function split(extra: JsonObject | undefined): { readonly open: JsonObject; readonly withheld: JsonObject } {
  const [open, withheld]: [JsonObject, JsonObject] = [{}, {}];
  for (const [key, value] of Object.entries(extra ?? {})) {
    (holdsSecret({ [key]: value }) ? withheld : open)[key] = value;
  }
  return { open, withheld };
}

function holdsSecret(value: JsonValue): boolean {
  if (Array.isArray(value)) return value.some(holdsSecret);
  return isJsonObject(value) && Object.entries(value).some(([key, item]) => isSecretKey(key) || holdsSecret(item));
}

function hasNewText(extra: JsonObject | undefined, before: JsonObject = {}): boolean {
  return Object.entries(extra ?? {}).some(
    ([key, value]) => typeof value !== 'number' && typeof value !== 'boolean' && !sameJson(value, before[key]),
  );
}

type Parts = Pick<ModelRequest, 'messages' | 'tools'> & {
  readonly [Key in 'maxTokens' | 'temperature' | 'reasoningEffort' | 'extraBody']: ModelRequest[Key] | undefined;
};

/** A part that is undefined is not sent. */
function withParts(before: ModelRequest, { messages, tools, ...parts }: Parts): ModelRequest {
  const { maxTokens: _, temperature: __, reasoningEffort: ___, extraBody: ____, ...rest } = before;
  const { maxTokens, temperature, reasoningEffort, extraBody = {} } = parts;
  return {
    ...rest,
    messages,
    tools,
    ...(maxTokens === undefined ? {} : { maxTokens }),
    ...(temperature === undefined ? {} : { temperature }),
    ...(reasoningEffort === undefined ? {} : { reasoningEffort }),
    ...(Object.keys(extraBody).length === 0 ? {} : { extraBody }),
  };
}
