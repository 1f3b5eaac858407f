/**
 * Which parts of a conversation are marked for Anthropic's prompt cache, on any wire that takes its marks.
 * https://docs.claude.com/en/docs/build-with-claude/prompt-caching
 */
import { isJsonObject, type JsonObject, type JsonValue } from '../../lib/json.ts';

export type CacheTtl = '5m' | '1h';

/** More than four are refused. */
const maxMarks = 4;

/**
 * The life of the marks for a model: Claude takes what is asked for, Qwen knows five minutes only, other models get
 * no marks (undefined).
 */
export function cacheTtlFor(model: string, asked: CacheTtl | undefined): CacheTtl | undefined {
  if (asked === undefined) return undefined;
  const name = model.toLowerCase();
  if (name.includes('claude')) return asked;
  return name.includes('qwen') ? '5m' : undefined;
}

/**
 * Copies of message rows with at most four marks: the system row and the last three others that can carry one (four
 * when there is no system row). What is marked moves with the end of the conversation, so that each request finds
 * the prefix that the one before it stored. The rows given are left as they are.
 *
 * A mark stands on the last block of a row, of results too: in a long tool loop hardly another row has any text.
 */
export function withCacheMarks(rows: readonly JsonObject[], ttl: CacheTtl): JsonObject[] {
  const mark: JsonObject = ttl === '1h' ? { type: 'ephemeral', ttl } : { type: 'ephemeral' };
  const marked = [...rows];
  let left = maxMarks;
  const place = (index: number) => {
    const row = markRow(rows[index], mark);
    if (row === undefined || left === 0) return;
    marked[index] = row;
    left -= 1;
  };
  const system = rows.findIndex(isSystem);
  if (system !== -1) place(system);
  for (let index = rows.length - 1; index >= 0; index -= 1) if (!isSystem(rows[index])) place(index);
  return marked;
}

function isSystem(row: JsonObject | undefined): boolean {
  return row?.['role'] === 'system' || row?.['role'] === 'developer';
}

/** Undefined when the row cannot carry a mark: it holds no text, or nothing but thinking. */
function markRow(row: JsonObject | undefined, mark: JsonObject): JsonObject | undefined {
  if (row === undefined) return undefined;
  const blocks = blocksOf(row['content']);
  const last = blocks.at(-1);
  if (last === undefined || unmarkable.has(last['type'])) return undefined;
  return { ...row, content: [...blocks.slice(0, -1), { ...last, cache_control: mark }] };
}

const unmarkable: ReadonlySet<JsonValue | undefined> = new Set(['thinking', 'redacted_thinking']);

function blocksOf(content: JsonValue | undefined): JsonObject[] {
  if (typeof content === 'string') return content.trim() === '' ? [] : [{ type: 'text', text: content }];
  return Array.isArray(content) ? content.filter(isJsonObject) : [];
}
