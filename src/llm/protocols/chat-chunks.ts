/**
 * Parses the chunks of a streamed chat completion. Nearly all of a long answer differ from the one before in nothing but
 * their text; reading them together as one takes half of the time (`npm run bench -- long-stream`).
 */
import { isJsonObject, type JsonObject, type JsonValue, parseJson } from '../../lib/json.ts';
import type { EventParser } from './read-events.ts';
import { listOf, objectOf } from './read-json.ts';

export class ChunkParser implements EventParser {
  /** A chunk that added text, up to and with the quote that opened it, and from the one that closed it. */
  #before = '';
  #after = '';

  textIn(data: string): string | undefined {
    const end = data.length - this.#after.length;
    if (this.#before === '' || end < this.#before.length) return undefined;
    if (!data.startsWith(this.#before) || !data.endsWith(this.#after)) return undefined;
    const text = data.slice(this.#before.length, end);
    // A quote, an escape or a control character: not plain text, or not JSON at all.
    return notPlain.test(text) ? undefined : text;
  }

  eventOf(text: string): JsonObject {
    return { choices: [{ delta: { content: text } }] };
  }

  parse(data: string): JsonValue | undefined {
    const chunk = parseJson(data);
    if (isJsonObject(chunk)) this.#learn(data, chunk);
    return chunk;
  }

  #learn(data: string, chunk: JsonObject): void {
    const content = onlyText(chunk);
    const field = content === undefined ? null : /"content":\s*/.exec(data);
    if (field === null) return;
    const literal = JSON.stringify(content);
    const start = field.index + field[0].length;
    const end = start + literal.length;
    // A second field of the name, or a text that was escaped in another way, leaves doubt.
    if (!data.startsWith(literal, start) || data.includes('"content"', end)) return;
    this.#before = data.slice(0, start + 1);
    this.#after = data.slice(end - 1);
  }
}

/** Looked for one at a time: a pattern of the whole text runs out of room behind 16 million characters. */
const notPlain = /["\\\u0000-\u001f]/;

/** The text of a chunk that adds text to the first choice, and does nothing else. */
function onlyText({ choices, usage = null }: JsonObject): string | undefined {
  const [entry, ...others] = listOf(choices);
  const { index = 0, delta, finish_reason: finishReason = null } = objectOf(entry) ?? {};
  const { content, role: _role, ...more } = objectOf(delta) ?? {};
  if (typeof content !== 'string' || content === '' || Object.keys(more).length > 0) return undefined;
  return others.length === 0 && index === 0 && usage === null && finishReason === null ? content : undefined;
}
