/** What a request for a response asks for, and what it goes on from. */
import type { JsonObject, JsonValue } from '../../../lib/json.ts';
import type { Content, HistoryMessage } from '../../../llm/message.ts';
import { HttpError } from '../../answers.ts';
import type { HttpRequest } from '../../routes.ts';
import { isEmpty } from '../content.ts';
import { readSwitch, type SaidMessage, sortMessages } from '../messages.ts';
import { fingerprint } from '../once-per-key.ts';
import { readSessionHeaders, type SessionHeaders } from '../session-headers.ts';
import type { ResponseStore } from './response-store.ts';

export interface ResponseRequest {
  readonly input: Content;
  /** Undefined: the session as it is stored. */
  readonly history: readonly HistoryMessage[] | undefined;
  /** As they count for this response and those that follow it. */
  readonly instructions: string | null;
  /** Undefined for a new one. */
  readonly sessionId: string | undefined;
  readonly previousId: string | null;
  readonly conversation: string | undefined;
  readonly store: boolean;
  readonly stream: boolean;
  readonly model: string;
  readonly headers: SessionHeaders;
}

/** Messages of a history that is cut (`truncation: auto`). */
const maxKept = 100;

/** Throws `HttpError`. */
export async function readResponseRequest(
  body: JsonObject,
  { headers }: HttpRequest,
  { store, modelName }: { readonly store: ResponseStore; readonly modelName: string },
): Promise<ResponseRequest> {
  const session = readSessionHeaders(headers);
  const conversation = readName(body['conversation']);
  const previousId = await previousOf(body['previous_response_id'], conversation, store);
  const previous = previousId === null ? undefined : await store.get(previousId);
  if (previousId !== null && previous === undefined && conversation === undefined) {
    throw notFound('Previous response', previousId);
  }
  const { system, said, input } = readInput(body['input']);
  const given = readGivenHistory(body['conversation_history']);
  const instructions = readInstructions(body['instructions']) ?? previous?.instructions ?? null;
  const chain = given ?? previous?.history;
  // A session that is named goes on from what is stored of it.
  const isStored = given === undefined && previous === undefined && session.sessionId !== undefined;
  return {
    input,
    history: isStored ? undefined : cut([...(chain ?? []), ...said], body['truncation']),
    instructions: [instructions, system].filter((text) => text !== null && text !== '').join('\n') || null,
    sessionId: previous?.sessionId || session.sessionId,
    previousId: previous === undefined ? null : previousId,
    conversation,
    store: readSwitch(body['store'], 'store', true),
    stream: readSwitch(body['stream'], 'stream'),
    model: typeof body['model'] === 'string' && body['model'] !== '' ? body['model'] : modelName,
    headers: session,
  };
}

/** Undefined for requests that may run twice. */
export function onceKey(
  body: JsonObject,
  { headers }: HttpRequest,
): { readonly key?: string; readonly fingerprint: string } {
  const { input, instructions, previous_response_id: previous, conversation, model, tools } = body;
  const print = fingerprint([input, instructions, previous, conversation, model, tools]);
  const key = headers.get('idempotency-key')?.trim() ?? '';
  return key === ''
    ? { fingerprint: print }
    : { key: JSON.stringify([key, readSessionHeaders(headers)]), fingerprint: print };
}

export function notFound(what: string, id: string): HttpError {
  return new HttpError(404, `${what} not found: ${id.slice(0, 100)}`);
}

async function previousOf(
  given: JsonValue | undefined,
  conversation: string | undefined,
  store: ResponseStore,
): Promise<string | null> {
  const id = typeof given === 'string' ? given : JSON.stringify(given ?? '').replace(/^""$/, '');
  if (id !== '' && conversation !== undefined) {
    throw new HttpError(400, "Cannot use both 'conversation' and 'previous_response_id'");
  }
  if (id !== '') return id;
  return conversation === undefined ? null : ((await store.latestOf(conversation)) ?? null);
}

/** A name, or an object with one, as newer clients send it. */
function readName(value: JsonValue | undefined): string | undefined {
  const name = typeof value === 'object' && value !== null && 'id' in value ? value['id'] : value;
  if (name === undefined || name === null || name === '') return undefined;
  if (typeof name !== 'string' || name.length > maxNameChars) {
    throw new HttpError(400, `'conversation' must be a name of up to ${maxNameChars} characters.`, {
      param: 'conversation',
    });
  }
  return name;
}

const maxNameChars = 256;

/** The last thing said is the question, what comes before it follows the history. */
function readInput(value: JsonValue | undefined): {
  readonly system: string;
  readonly said: readonly SaidMessage[];
  readonly input: Content;
} {
  if (value === undefined || value === null) throw new HttpError(400, "Missing 'input' field", { param: 'input' });
  if (typeof value !== 'string' && !Array.isArray(value)) {
    throw new HttpError(400, "'input' must be a string or array", { param: 'input' });
  }
  const { system, said } = sortMessages(
    typeof value === 'string' ? [{ role: 'user', content: value }] : asMessages(value),
    'input',
  );
  const last = said.at(-1);
  if (last === undefined || last.role !== 'user' || isEmpty(last.content)) {
    throw new HttpError(400, 'No user message found in input', { param: 'input' });
  }
  return { system, said: said.slice(0, -1), input: last.content };
}

/** Texts and parts that stand alone are the user's; parts side by side are one message. What tools of clients said is passed over. */
function asMessages(items: readonly JsonValue[]): JsonValue[] {
  const messages: JsonValue[] = [];
  let parts: JsonValue[] | undefined;
  for (const item of items) {
    const type = typeof item === 'object' && item !== null && !Array.isArray(item) ? item['type'] : undefined;
    if (typeof type === 'string' && (type.startsWith('input_') || type === 'output_text')) {
      if (parts === undefined) messages.push({ role: 'user', content: (parts = []) });
      parts.push(item);
      continue;
    }
    parts = undefined;
    if (typeof item === 'string') messages.push({ role: 'user', content: item });
    else if (typeof type !== 'string' || type === 'message') messages.push(item);
  }
  return messages;
}

/** Undefined when there is none. Throws `HttpError` for what is no list of messages. */
export function readGivenHistory(value: JsonValue | undefined): readonly SaidMessage[] | undefined {
  if (value === undefined || value === null) return undefined;
  if (!Array.isArray(value)) {
    throw new HttpError(400, "'conversation_history' must be an array of messages", { param: 'conversation_history' });
  }
  return sortMessages(value, 'conversation_history').said;
}

function cut(history: readonly HistoryMessage[], truncation: JsonValue | undefined): readonly HistoryMessage[] {
  if (truncation !== 'auto' || history.length <= maxKept) return history;
  const kept = history.slice(-maxKept);
  const first = kept.findIndex(({ role }) => role !== 'tool');
  return first === -1 ? [] : kept.slice(first);
}

function readInstructions(value: JsonValue | undefined): string | undefined {
  if (value === undefined || value === null || typeof value === 'string') return value ?? undefined;
  throw new HttpError(400, "'instructions' must be a text", { param: 'instructions' });
}
