/** The agent's list of steps for the work at hand. */
import { isJsonObject, type JsonValue, parseJson } from '../../lib/json.ts';

export type TodoStatus = 'pending' | 'in_progress' | 'completed' | 'cancelled';

export interface TodoItem {
  readonly id: string;
  readonly content: string;
  readonly status: TodoStatus;
}

/** What a model supplied for one item; anything may be missing. */
export interface TodoInput {
  readonly id?: string | undefined;
  readonly content?: string | undefined;
  readonly status?: string | undefined;
}

export const statuses: readonly TodoStatus[] = ['pending', 'in_progress', 'completed', 'cancelled'];
/** Other words that models use for the same. */
const aliases: ReadonlyMap<string, TodoStatus> = new Map([
  ['todo', 'pending'],
  ['open', 'pending'],
  ['not_started', 'pending'],
  ['doing', 'in_progress'],
  ['active', 'in_progress'],
  ['started', 'in_progress'],
  ['done', 'completed'],
  ['complete', 'completed'],
  ['finished', 'completed'],
  ['canceled', 'cancelled'],
  ['skipped', 'cancelled'],
]);

/** The status that a word means, or `undefined` for one that means none. */
export function statusOf(word: string): TodoStatus | undefined {
  const name = word
    .trim()
    .toLowerCase()
    .replaceAll(/[\s-]+/g, '_');
  return statuses.find((status) => status === name) ?? aliases.get(name);
}

/** Those of the original. */
const maxItems = 256;
const maxContentChars = 4000;
const cutMark = '… [truncated]';

/** One per session; lives in memory and is rebuilt from the history on resume. */
export class TodoList {
  #items: readonly TodoItem[] = [];

  read(): readonly TodoItem[] {
    return this.#items;
  }

  /**
   * Replaces the list, or with `merge` updates items by id (only the given fields) and appends unknown ids. Of several with
   * one id the last counts, in its place; those without an id are different ones.
   */
  write(given: readonly TodoInput[], merge: boolean): void {
    const inputs = given.filter(({ id }, at) => !isNamed(id) || given.findLastIndex((other) => other.id === id) === at);
    if (!merge) {
      this.#items = inputs.slice(0, maxItems).map((input) => complete(input));
      return;
    }
    const items = [...this.#items];
    for (const input of inputs) {
      const at = items.findIndex((item) => item.id === input.id);
      if (at !== -1) items[at] = complete(input, items[at]);
      else if (items.length < maxItems) items.push(complete(input));
    }
    this.#items = items;
  }

  /** Takes the list out of a `todo` result of the history; a result that is none leaves the list as it is. */
  restore(resultText: string): void {
    const result = parseJson(resultText);
    const todos = isJsonObject(result) ? result['todos'] : undefined;
    if (Array.isArray(todos)) this.write(todos.filter(isJsonObject).map(toInput), false);
  }

  clear(): void {
    this.#items = [];
  }
}

function complete(input: TodoInput, known?: TodoItem): TodoItem {
  const status = input.status === undefined ? undefined : statusOf(input.status);
  return {
    id: filled(input.id) ?? known?.id ?? '?',
    content: cut(filled(input.content) ?? known?.content ?? '(no description)'),
    status: status ?? known?.status ?? 'pending',
  };
}

function cut(content: string): string {
  if (content.length <= maxContentChars) return content;
  return `${content.slice(0, maxContentChars - cutMark.length).toWellFormed()}${cutMark}`;
}

/** What has no id comes back as `?`. */
function isNamed(id: string | undefined): boolean {
  return filled(id) !== undefined && id !== '?';
}

function filled(text: string | undefined): string | undefined {
  return text === undefined || text.trim() === '' ? undefined : text;
}

function toInput(value: { readonly [key: string]: JsonValue }): TodoInput {
  const text = (key: string): string | undefined => (typeof value[key] === 'string' ? value[key] : undefined);
  return { id: text('id'), content: text('content'), status: text('status') };
}
