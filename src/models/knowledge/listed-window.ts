/** Finds the window of a model in what an endpoint's list of models says. */
import { isJsonObject, type JsonObject, type JsonValue } from '../../lib/json.ts';
import { toWindow } from './learned-limit.ts';

/** Names of the field, the most telling first. */
const fields = [
  'context_length',
  'context_window',
  'max_context_length',
  'max_position_embeddings',
  'max_model_len',
  'max_input_tokens',
  'max_sequence_length',
  'max_seq_len',
  'n_ctx_train',
  'n_ctx',
] as const;

const maxDepth = 6;
const maxModels = 5000;

/**
 * Tokens of the window of `model` in the answer of a `/models` address: the entry of that name, the only one there is,
 * or one whose name holds the other. Undefined when the list says nothing.
 */
export function listedWindow(answer: JsonValue | undefined, model: string): number | undefined {
  const entries = entriesOf(answer);
  const entry =
    entries.find((candidate) => namesOf(candidate).includes(model)) ??
    (entries.length === 1
      ? entries[0]
      : entries.find((candidate) => namesOf(candidate).some((name) => alike(name, model))));
  return entry === undefined ? undefined : windowIn(entry);
}

/** The models of an answer: `{data: [...]}`, `{models: [...]}` or the list itself. */
export function entriesOf(answer: JsonValue | undefined): readonly JsonObject[] {
  const list = isJsonObject(answer) ? (answer['data'] ?? answer['models']) : answer;
  return Array.isArray(list) ? list.slice(0, maxModels).filter((entry) => isJsonObject(entry)) : [];
}

/** What a model is called in its entry. */
export function namesOf({ id, key, name, model }: JsonObject): readonly string[] {
  return [id, key, name, model].flatMap((value) => (typeof value === 'string' && value !== '' ? [value] : []));
}

/** The window anywhere in an entry, the nearest to its top. */
export function windowIn(entry: JsonObject): number | undefined {
  let level: readonly JsonValue[] = [entry];
  for (let depth = 0; depth < maxDepth && level.length > 0; depth += 1) {
    const objects = level.filter((value) => isJsonObject(value));
    for (const field of fields) {
      for (const object of objects) {
        const tokens = Object.hasOwn(object, field) ? toWindow(object[field]) : undefined;
        if (tokens !== undefined) return tokens;
      }
    }
    level = level
      .flatMap((value) => (typeof value === 'object' && value !== null ? Object.values(value) : []))
      .slice(0, 2000);
  }
  return undefined;
}

function alike(a: string, b: string): boolean {
  return a.length > 2 && b.length > 2 && (a.includes(b) || b.includes(a));
}
