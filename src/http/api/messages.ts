/** From the messages of a request to the system text, the history and the question of a turn. */
import { createHash } from 'node:crypto';
import * as z from 'zod';
import type { JsonValue } from '../../lib/json.ts';
import { type Content, type HistoryMessage, textOf } from '../../llm/message.ts';
import { HttpError } from '../answers.ts';
import { isEmpty, readContent } from './content.ts';

export interface Asked {
  /** For this turn, over the prompt of the agent. */
  readonly system: string;
  readonly history: readonly HistoryMessage[];
  readonly input: Content;
}

const wire = z.looseObject({ role: z.string(), content: z.unknown().optional() });

/** Messages of the client's own tools are passed over: tools run here. Throws `HttpError`. */
export function readMessages(messages: JsonValue | undefined): Asked {
  if (!Array.isArray(messages) || messages.length === 0) {
    throw new HttpError(400, "Missing or invalid 'messages' field", { param: 'messages' });
  }
  const { system, said } = sortMessages(messages, 'messages');
  const last = said.at(-1);
  const input = last?.role === 'user' ? last.content : undefined;
  if (input === undefined || isEmpty(input)) {
    throw new HttpError(400, 'No user message found in messages', { param: 'messages' });
  }
  return { system, input, history: said.slice(0, -1) };
}

/** System texts joined, and what was said. Throws `HttpError`. */
export function sortMessages(
  messages: readonly JsonValue[],
  place: string,
): { readonly system: string; readonly said: readonly SaidMessage[] } {
  const system: string[] = [];
  const said: SaidMessage[] = [];
  for (const [index, message] of messages.entries()) {
    const where = `${place}[${index}]`;
    const { data } = wire.safeParse(message);
    if (data === undefined) throw new HttpError(400, `${where} must be an object with a role.`, { param: where });
    const { role } = data;
    if (role === 'tool' || role === 'function') continue;
    const given = role === 'assistant' ? withoutPictures(data.content) : data.content;
    const content = readContent(given, `${where}.content`);
    if (role === 'system' || role === 'developer') system.push(textOf(content));
    else if (role === 'user') said.push({ role, content });
    else if (role === 'assistant') said.push({ role, content: textOf(content) });
    else throw new HttpError(400, `${where} has an unknown role.`, { param: `${where}.role` });
  }
  // An answer of tool calls alone says nothing without them.
  return {
    system: system.filter((text) => text !== '').join('\n'),
    said: said.filter(({ content }) => !isEmpty(content)),
  };
}

/** Clients send answers back as they were shown: a picture in one would be read as millions of letters. */
function withoutPictures(content: unknown): unknown {
  if (typeof content === 'string') return content.replaceAll(shownPicture, '[image]');
  if (!Array.isArray(content)) return content;
  const parts: readonly unknown[] = content;
  return parts.map((part) => {
    const { data } = textPart.safeParse(part);
    return data === undefined ? part : { ...data, text: data.text.replaceAll(shownPicture, '[image]') };
  });
}

const shownPicture = /!\[image\]\(data:image\/[a-z]+;base64,[\w+/=]*\)?/g;
const textPart = z.looseObject({ text: z.string() });

export type SaidMessage =
  | { readonly role: 'user'; readonly content: Content }
  | { readonly role: 'assistant'; readonly content: string };

/**
 * The session of a client that names none: the same beginning is the same conversation, as long as the same person is
 * spoken for.
 */
export function derivedSessionId({ system, history, input }: Asked, sessionKey?: string): string {
  const first = history.find(({ role }) => role === 'user')?.content ?? input;
  const digest = createHash('sha256')
    .update(`${system}\n${textOf(first)}${sessionKey === undefined ? '' : `\0${sessionKey}`}`)
    .digest('hex');
  return `api-${digest.slice(0, 16)}`;
}

const truths: ReadonlyMap<unknown, boolean> = new Map<unknown, boolean>([
  ...[true, 'true', '1', 'yes', 'on', 1].map((word) => [word, true] as const),
  ...[false, 'false', '0', 'no', 'off', 0].map((word) => [word, false] as const),
]);

/** A switch of a request. */
export function readSwitch(value: JsonValue | undefined, name: string, fallback = false): boolean {
  if (value === undefined || value === null) return fallback;
  const read = truths.get(typeof value === 'string' ? value.trim().toLowerCase() : value);
  if (read === undefined) throw new HttpError(400, `'${name}' must be true or false.`, { param: name });
  return read;
}
