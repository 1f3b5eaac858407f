/**
 * The output items of one answer, put together from the events that a stream delivers or taken whole.
 * https://platform.openai.com/docs/api-reference/responses/object#responses/object-output
 */
import { isJsonObject, type JsonObject, type JsonValue, parseJson } from '../../../lib/json.ts';
import type { Answer, OpenCall } from '../answer.ts';
import { listOf, objectOf, stringOf } from '../read-json.ts';

/** One item of the answer. `text` is what it says, thinks, or passes as arguments. */
export interface OutputItem {
  kind: 'message' | 'reasoning' | 'call' | 'other';
  /** The newest form in which the service sent it. */
  wire: JsonObject;
  text: string;
  /** Which part of the item the text belongs to; a new part of reasoning is a new paragraph. */
  part: string | undefined;
  refused: boolean;
  /** The service said that the item is complete. */
  done: boolean;
  /** Once a call has a name. */
  call: OpenCall | undefined;
}

/** The items in the order in which they began. */
export class OutputItems {
  readonly all: OutputItem[] = [];
  readonly #answer: Answer;
  readonly #byKey = new Map<string, OutputItem>();
  readonly #listed = new Map<OutputItem['kind'], number>();

  constructor(answer: Answer) {
    this.#answer = answer;
  }

  /**
   * The item that an event is about: by its id, or by its place, because some services write another id into every
   * event. Made when it is new.
   */
  at(index: JsonValue | undefined, id: JsonValue | undefined, wire: JsonObject): OutputItem {
    const kind = kindOf(wire);
    const keys = [
      ...(typeof id === 'string' && id !== '' ? [`id ${id}`] : []),
      ...(typeof index === 'number' ? [`at ${index}`] : []),
    ];
    const known = keys.map((key) => this.#byKey.get(key)).find((item) => item?.kind === kind);
    return known ?? (keys.length === 0 ? this.#lastOf(kind) : undefined) ?? this.#make(kind, wire, keys);
  }

  /** The item that the next entry of the final list means: by its id, or else as the next of its kind. */
  listed(wire: JsonObject): OutputItem {
    const kind = kindOf(wire);
    const position = this.#listed.get(kind) ?? 0;
    this.#listed.set(kind, position + 1);
    const byId = this.#byKey.get(`id ${stringOf(wire['id'])}`);
    return (byId?.kind === kind ? byId : this.of(kind)[position]) ?? this.#make(kind, wire, []);
  }

  of(kind: OutputItem['kind']): OutputItem[] {
    return this.all.filter((item) => item.kind === kind);
  }

  #make(kind: OutputItem['kind'], wire: JsonObject, keys: readonly string[]): OutputItem {
    this.#answer.countPart();
    const made: OutputItem = {
      kind,
      wire,
      text: '',
      part: undefined,
      refused: false,
      done: false,
      call: undefined,
    };
    this.all.push(made);
    for (const key of keys) this.#byKey.set(key, made);
    return made;
  }

  /** For services that say neither place nor id: what is being written. */
  #lastOf(kind: OutputItem['kind']): OutputItem | undefined {
    const last = this.all.at(-1);
    return last?.kind === kind && !last.done ? last : undefined;
  }
}

function kindOf(wire: JsonObject): OutputItem['kind'] {
  switch (wire['type']) {
    case 'message':
    case 'reasoning':
      return wire['type'];
    case 'function_call':
    case 'custom_tool_call':
      return 'call';
    default:
      return 'other';
  }
}

/** All that a whole item says: words of a message, summary (else the full text) of reasoning, arguments of a call. */
export function textOfItem(wire: JsonObject): string {
  switch (wire['type']) {
    case 'message':
      return listOf(wire['content'])
        .map((part) => stringOf(objectOf(part)?.['text']) || stringOf(objectOf(part)?.['refusal']))
        .join('');
    case 'reasoning':
      return paragraphs(wire['summary']) || paragraphs(wire['content']);
    case 'function_call':
      return isJsonObject(wire['arguments']) ? JSON.stringify(wire['arguments']) : stringOf(wire['arguments']);
    case 'custom_tool_call':
      return stringOf(wire['input']);
    default:
      return '';
  }
}

/** True when the message holds a refusal instead of an answer. */
export function holdsRefusal(wire: JsonObject): boolean {
  return listOf(wire['content']).some((part) => objectOf(part)?.['type'] === 'refusal');
}

/** Arguments are JSON text; a custom tool gets text of any kind, which becomes an object with the one field `input`. */
export function argumentsOf({ wire, text }: OutputItem): string {
  if (wire['type'] !== 'custom_tool_call' || isJsonObject(parseJson(text))) return text;
  return JSON.stringify({ input: text });
}

function paragraphs(parts: JsonValue | undefined): string {
  return listOf(parts)
    .map((part) => stringOf(objectOf(part)?.['text']))
    .filter((text) => text !== '')
    .join('\n\n');
}
