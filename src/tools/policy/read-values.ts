/**
 * Long values (keys, numbers, ids) that stood in files and in what programs printed, and nowhere in what the person or a
 * page said: who searches the web with one of them tells it something.
 */
import { remember } from '../../lib/bounded.ts';
import { type HistoryMessage, sourcesOf, textOf } from '../../llm/message.ts';

const maxValues = 5000;
const maxTextChars = 200_000;

export class ReadValues {
  readonly #own = new Set<string>();
  readonly #told = new Set<string>();

  /** To be told every message, also those of a conversation that is continued. */
  hear(message: HistoryMessage): void {
    if (message.role === 'assistant') return;
    const sources = sourcesOf(message);
    const isTold = sources.every(({ from }) => from === 'user') || sources.some(({ from }) => from === 'page');
    const into = isTold ? this.#told : this.#own;
    for (const value of valuesIn(textOf(message.content))) remember(into, value, maxValues);
  }

  inherit(from: ReadValues): void {
    for (const value of from.#own) remember(this.#own, value, maxValues);
    for (const value of from.#told) remember(this.#told, value, maxValues);
  }

  standIn(text: string): boolean {
    return valuesIn(text).some((value) => this.#own.has(value) && !this.#told.has(value));
  }
}

/** Names of things hold few digits, however long they are. */
function valuesIn(text: string): readonly string[] {
  const words = text.slice(0, maxTextChars).match(/[\p{L}\p{N}]{12,200}/gu) ?? [];
  return words.filter((word) => {
    const digits = word.match(/\p{N}/gu)?.length ?? 0;
    return digits === word.length || (word.length >= 16 && digits >= 4);
  });
}
