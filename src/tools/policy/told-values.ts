/**
 * Long values (keys, numbers, ids) that the person or a page said. Who searches the web with another one may tell it what
 * stood in a file, also where a script read that.
 */
import { remember } from '../../lib/bounded.ts';
import { type HistoryMessage, sourcesOf, textOf } from '../../llm/message.ts';

const maxValues = 5000;
const maxTextChars = 200_000;

export class ToldValues {
  readonly #told = new Set<string>();

  /** To be told every message, also those of a conversation that is continued. */
  hear(message: HistoryMessage): void {
    if (message.role === 'assistant') return;
    const sources = sourcesOf(message);
    if (!sources.every(({ from }) => from === 'user') && !sources.some(({ from }) => from === 'page')) return;
    // What a model gave its sub-agent to do.
    if (sources.some(({ from }) => from === 'agent')) return;
    for (const value of valuesIn(textOf(message.content))) remember(this.#told, value, maxValues);
  }

  inherit(from: ToldValues): void {
    for (const value of from.#told) remember(this.#told, value, maxValues);
  }

  /** Whether a text holds a value that nobody said. */
  lackOneOf(text: string): boolean {
    return valuesIn(text).some((value) => !this.#told.has(value));
  }
}

/** Names of things hold few digits, however long they are. */
function valuesIn(text: string): readonly string[] {
  const words = text.slice(0, maxTextChars).match(/[\p{L}\p{N}]{12,400}/gu) ?? [];
  return words.filter((word) => {
    const digits = word.match(/\p{N}/gu)?.length ?? 0;
    return digits === word.length || (word.length >= 16 && digits >= 4);
  });
}
