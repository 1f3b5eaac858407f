/** What a turn put out, as the items of a response. */
import { randomBytes } from 'node:crypto';
import * as z from 'zod';
import type { AgentEvent } from '../../../agent/events.ts';
import type { JsonObject, JsonValue } from '../../../lib/json.ts';
import type { TurnOutcome } from '../turns.ts';

/** Calls of tools with their results: those of one step, then what they gave, in the order of the calls. */
export class CalledTools {
  readonly #before: JsonObject[] = [];
  /** Of this step, by id. */
  readonly #calls = new Map<string, JsonObject>();
  readonly #results = new Map<string, JsonObject>();

  hear(event: AgentEvent): void {
    if (event.type === 'step_started') this.#endStep();
    if (event.type === 'tool_started') this.#calls.set(event.callId, callItem(event));
    if (event.type !== 'tool_finished') return;
    const { callId, result } = event;
    this.#results.set(callId, { type: 'function_call_output', call_id: callId, output: result });
  }

  get items(): readonly JsonObject[] {
    return [...this.#before, ...this.#step];
  }

  /** A call that came to no end is left out. */
  get #step(): readonly JsonObject[] {
    const ended = [...this.#calls].flatMap(([id, call]) => {
      const result = this.#results.get(id);
      return result === undefined ? [] : [{ call, result }];
    });
    return [...ended.map(({ call }) => call), ...ended.map(({ result }) => result)];
  }

  #endStep(): void {
    this.#before.push(...this.#step);
    this.#calls.clear();
    this.#results.clear();
  }
}

function messageItem(text: string): JsonObject {
  return { type: 'message', role: 'assistant', content: [{ type: 'output_text', text, annotations: [] }] };
}

export function callItem({ name, written, callId }: Extract<AgentEvent, { type: 'tool_started' }>): JsonObject {
  return { type: 'function_call', name, arguments: JSON.stringify(written), call_id: callId };
}

/** The text of the answer; the last item. */
export function outputOf({ result }: TurnOutcome, tools: CalledTools): JsonObject[] {
  const answer = result.finalResponse ?? '';
  return [...tools.items, ...(answer === '' ? [] : [messageItem(answer)])];
}

/** The response with its text as its reader is to see it. */
export async function withShown(response: JsonObject, shown: (text: string) => Promise<string>): Promise<JsonObject> {
  const { output } = response;
  if (!Array.isArray(output)) return response;
  const { data } = message.safeParse(output.at(-1));
  const text = data?.content[0]?.text;
  if (text === undefined) return response;
  return { ...response, output: [...output.slice(0, -1), messageItem(await shown(text))] };
}

const message = z.object({ type: z.literal('message'), content: z.array(z.object({ text: z.string() })) });

const longArguments = ['content', 'query', 'pattern', 'old_string', 'new_string'];
const maxArgumentChars = 500;
const maxOutputChars = 1000;

/** For the end of a stream, whose reader has seen it all: long arguments and results are cut. */
export function shortened(item: JsonObject): JsonObject {
  const args = item['arguments'];
  if (item['type'] === 'function_call' && typeof args === 'string') return { ...item, arguments: shortArguments(args) };
  const output = item['output'];
  if (item['type'] === 'function_call_output' && Array.isArray(output))
    return { ...item, output: output.map(shortPart) };
  return item;
}

function shortPart(part: JsonValue): JsonValue {
  if (typeof part !== 'object' || part === null || Array.isArray(part)) return part;
  const { text } = part;
  return typeof text === 'string' ? { ...part, text: cut(text, maxOutputChars) } : part;
}

function shortArguments(text: string): string {
  const parsed: JsonObject = JSON.parse(text);
  for (const name of longArguments) {
    const value = parsed[name];
    if (typeof value === 'string') parsed[name] = cut(value, maxArgumentChars);
  }
  return JSON.stringify(parsed);
}

function cut(text: string, maxChars: number): string {
  if (text.length <= maxChars) return text;
  return `${text.slice(0, maxChars).toWellFormed()}… [${text.length - maxChars} more characters]`;
}

export function newId(prefix: string, hexDigits: number): string {
  return `${prefix}_${randomBytes(Math.ceil(hexDigits / 2))
    .toString('hex')
    .slice(0, hexDigits)}`;
}
