/** Puts tool calls together from the fragments that a stream delivers. */
import { isJsonObject, type JsonObject, type JsonValue, parseJson } from '../../lib/json.ts';
import { newCallId } from '../call-id.ts';
import type { ToolCall } from '../message.ts';
import { objectOf, stringOf } from './read-json.ts';

interface Slot {
  readonly position: number;
  id: string;
  name: string;
  arguments: string;
  /** The arguments end like a complete object; spares parsing them with every fragment. */
  closed: boolean;
  extra: JsonValue | undefined;
  announced: boolean;
}

export class ToolCallSlots {
  readonly #slots: Slot[] = [];
  readonly #byIndex = new Map<number, Slot>();

  get count(): number {
    return this.#slots.length;
  }

  /** Adds one entry of `delta.tool_calls`; returns the call that got its name by it. */
  add(entry: JsonValue, position: number): { readonly index: number; readonly name: string } | undefined {
    const fragment = objectOf(entry);
    if (fragment === undefined) return undefined;
    const call = objectOf(fragment['function']) ?? {};
    const slot = this.#slotFor(fragment, call, position);
    slot.id ||= stringOf(fragment['id']);
    // Some servers repeat the whole name with every fragment, others cut it into pieces.
    const name = stringOf(call['name']);
    if (name !== slot.name && slot.arguments === '') slot.name += name;
    const text = argumentsText(call['arguments'], slot.arguments);
    if (text !== '') slot.closed = text.endsWith('}');
    slot.arguments += text;
    slot.extra = fragment['extra_content'] ?? slot.extra;
    if (slot.announced || slot.name === '') return undefined;
    slot.announced = true;
    return { index: slot.position, name: slot.name };
  }

  /** The calls in order of their beginning; empty and repeated ids are replaced. */
  finish(): ToolCall[] {
    const used = new Set<string>();
    const written = this.#slots.filter((slot) => slot.name !== '' || slot.arguments !== '');
    return written.map((slot) => {
      const id = slot.id === '' || used.has(slot.id) ? newCallId() : slot.id;
      used.add(id);
      const extra = slot.extra === undefined || slot.extra === null ? {} : { extra_content: slot.extra };
      return { id, type: 'function', function: { name: slot.name, arguments: slot.arguments }, ...extra };
    });
  }

  #slotFor(fragment: JsonObject, call: JsonObject, position: number): Slot {
    const index = typeof fragment['index'] === 'number' ? fragment['index'] : position;
    const current = this.#byIndex.get(index);
    if (current !== undefined && !beginsAnew(current, fragment, call)) return current;
    const slot: Slot = {
      position: this.#slots.length,
      id: '',
      name: '',
      arguments: '',
      closed: false,
      extra: undefined,
      announced: false,
    };
    this.#slots.push(slot);
    this.#byIndex.set(index, slot);
    return slot;
  }
}

/**
 * True when a fragment at a used index opens another call: it brings another id (Ollama uses index 0 for every call),
 * or, from servers without ids, a name and arguments although the current call is complete.
 */
function beginsAnew(slot: Slot, fragment: JsonObject, call: JsonObject): boolean {
  const id = stringOf(fragment['id']);
  if (id !== '') return slot.id !== '' && slot.id !== id;
  if (stringOf(call['name']) === '' || argumentsText(call['arguments'], '') === '') return false;
  return slot.closed && isJsonObject(parseJson(slot.arguments));
}

/** Arguments are JSON text; some servers send the object itself. */
function argumentsText(value: JsonValue | undefined, already: string): string {
  if (typeof value === 'string') return value;
  return isJsonObject(value) && already === '' ? JSON.stringify(value) : '';
}
