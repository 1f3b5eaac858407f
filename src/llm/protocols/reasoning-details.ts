/**
 * `reasoning_details`: opaque items that must be replayed as they came, streamed in many small fragments.
 * https://openrouter.ai/docs/use-cases/reasoning-tokens
 */
import { isJsonObject, type JsonObject, type JsonValue } from '../../lib/json.ts';
import { objectOf, stringOf } from './read-json.ts';

export class ReasoningDetails {
  readonly #items: JsonObject[] = [];

  /** Adds the details of one chunk; fragments of the same text or summary are joined. */
  add(details: readonly JsonValue[]): void {
    for (const item of details.filter(isJsonObject)) {
      const last = this.#items.at(-1);
      if (last === undefined || !continues(last, item)) this.#items.push({ ...item });
      else join(last, item);
    }
  }

  /** Undefined when there were none. */
  finish(): JsonObject[] | undefined {
    return this.#items.length === 0 ? undefined : this.#items;
  }
}

/** The readable text of `reasoning_details`: each item's `summary`, `content` or `text`. */
export function detailsText(details: readonly JsonValue[]): string {
  return details
    .map((entry) => {
      const item = objectOf(entry);
      return stringOf(item?.['summary']) || stringOf(item?.['content']) || stringOf(item?.['text']);
    })
    .join('');
}

/** Encrypted items are whole: joining them would break their signature. */
function continues(last: JsonObject, item: JsonObject): boolean {
  const type = item['type'];
  if (type !== 'reasoning.text' && type !== 'reasoning.summary') return false;
  const sameId = item['id'] === undefined || item['id'] === null || item['id'] === last['id'];
  return last['type'] === type && last['index'] === item['index'] && sameId;
}

function join(last: JsonObject, item: JsonObject): void {
  for (const [key, value] of Object.entries(item)) {
    const before = last[key];
    if ((key === 'text' || key === 'summary') && typeof before === 'string' && typeof value === 'string') {
      last[key] = before + value;
    } else if (value !== null) {
      last[key] = value;
    }
  }
}
