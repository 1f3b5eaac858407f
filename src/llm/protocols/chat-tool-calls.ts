/**
 * Puts tool calls together from the fragments that a stream of chat completions delivers.
 * https://platform.openai.com/docs/guides/function-calling#streaming
 */
import { isJsonObject, type JsonObject, type JsonValue, parseJson } from '../../lib/json.ts';
import type { Answer, OpenCall } from './answer.ts';
import { objectOf, stringOf } from './read-json.ts';

export class ChatToolCalls {
  readonly #answer: Answer;
  readonly #byIndex = new Map<number, OpenCall>();

  constructor(answer: Answer) {
    this.#answer = answer;
  }

  /** Adds one entry of `delta.tool_calls`, the one at `position` of its list. */
  add(entry: JsonValue, position: number): void {
    const fragment = objectOf(entry);
    if (fragment === undefined) return;
    const written = objectOf(fragment['function']) ?? {};
    const call = this.#callFor(fragment, written, position);
    call.id ||= stringOf(fragment['id']);
    // Some servers repeat the whole name with every fragment, others cut it into pieces.
    const name = stringOf(written['name']);
    if (name !== call.name && call.arguments === '') call.name += name;
    call.arguments += argumentsText(written['arguments'], call.arguments);
    call.extra = fragment['extra_content'] ?? call.extra;
    this.#answer.announce(call);
  }

  #callFor(fragment: JsonObject, written: JsonObject, position: number): OpenCall {
    const index = typeof fragment['index'] === 'number' ? fragment['index'] : position;
    const current = this.#byIndex.get(index);
    if (current !== undefined && !beginsAnew(current, fragment, written)) return current;
    const call = this.#answer.startCall('', '');
    this.#byIndex.set(index, call);
    return call;
  }
}

/**
 * True when a fragment at a used index opens another call: it brings another id (Ollama uses index 0 for every call),
 * or, from servers without ids, a name and arguments although the current call is complete.
 */
function beginsAnew(call: OpenCall, fragment: JsonObject, written: JsonObject): boolean {
  const id = stringOf(fragment['id']);
  if (id !== '') return call.id !== '' && call.id !== id;
  if (stringOf(written['name']) === '' || argumentsText(written['arguments'], '') === '') return false;
  return call.arguments.endsWith('}') && isJsonObject(parseJson(call.arguments));
}

/** Arguments are JSON text; some servers send the object itself. */
function argumentsText(value: JsonValue | undefined, already: string): string {
  if (typeof value === 'string') return value;
  return isJsonObject(value) && already === '' ? JSON.stringify(value) : '';
}
