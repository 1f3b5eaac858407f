/**
 * Signed thoughts of Claude: how they are kept in a message, and how they go back exactly where they stood.
 * https://docs.claude.com/en/docs/build-with-claude/extended-thinking#preserving-thinking-blocks
 */
import { isJsonObject, type JsonObject, type JsonValue } from '../../../lib/json.ts';
import { listOf, stringOf } from '../read-json.ts';

/**
 * What is kept in `reasoning_details`: the signed blocks as they came. Only when the answer was not simply thoughts,
 * then text, then calls do items `{type: "text", length}` and `{type: "tool_use"}` stand between them, because the
 * API checks that a thought comes back in its place. Undefined when nothing is signed.
 */
export function keepThinking(blocks: readonly JsonObject[]): JsonValue | undefined {
  const kept = blocks.filter((block) => !isThought(block) || isSigned(block));
  if (!kept.some(isSigned)) return undefined;
  const order = kept.map((block) => orderOf(block));
  const inOrder = order.every((place, index) => index === 0 || place >= (order[index - 1] ?? 0));
  const oneText = order.filter((place) => place === 1).length <= 1;
  if (inOrder && oneText) return kept.filter(isSigned);
  return kept.map((block) => {
    if (isSigned(block)) return block;
    return isText(block) ? { type: 'text', length: stringOf(block['text']).length } : { type: 'tool_use' };
  });
}

/**
 * The blocks of an assistant message with its signed thoughts in their places: in front where nothing else is known,
 * or where the message was changed since. `wanted` says which thoughts go back. Reasoning of other providers and
 * thoughts without a signature are no part of it.
 */
export function replayThinking(
  details: JsonValue | undefined,
  content: string,
  calls: readonly JsonObject[],
  wanted: (thought: JsonObject) => boolean,
): JsonObject[] {
  const items = listOf(details).filter(isJsonObject);
  const thoughts = items.filter((item) => isSigned(item) && wanted(item));
  const inPlace = thoughts.length === 0 ? undefined : rebuild(items, content, calls, wanted);
  return inPlace ?? [...thoughts, ...textBlocks(content), ...calls];
}

/** What a thought is known by: its signature, or the data of a redacted one. */
export function signatureOf(thought: JsonObject): string {
  return stringOf(thought['signature']) || stringOf(thought['data']);
}

/** A `thinking` or `redacted_thinking` block that the API takes back. */
export function isSigned(block: JsonObject): boolean {
  return isThought(block) && signatureOf(block) !== '';
}

function isThought(block: JsonObject): boolean {
  return block['type'] === 'thinking' || block['type'] === 'redacted_thinking';
}

function isText(block: JsonObject): boolean {
  return block['type'] === 'text';
}

function orderOf(block: JsonObject): number {
  if (isThought(block)) return 0;
  return isText(block) ? 1 : 2;
}

/** Undefined when the order is not known, or the text or the calls are not those of the answer any more. */
function rebuild(
  items: readonly JsonObject[],
  content: string,
  calls: readonly JsonObject[],
  wanted: (thought: JsonObject) => boolean,
): JsonObject[] | undefined {
  const texts = items.filter(isText).map(({ length }) => (typeof length === 'number' ? length : -1));
  const callCount = items.filter((item) => item['type'] === 'tool_use').length;
  if (texts.length === 0 && callCount === 0) return undefined;
  const separators = Math.max(0, texts.length - 1);
  if (texts.reduce((sum, length) => sum + length, separators) !== content.length) return undefined;
  if (callCount !== calls.length) return undefined;
  const left = [...calls];
  let start = 0;
  return items.flatMap((item) => {
    if (isSigned(item)) return wanted(item) ? [item] : [];
    if (!isText(item)) return left.splice(0, 1);
    const end = start + (typeof item['length'] === 'number' ? item['length'] : 0);
    const text = content.slice(start, end);
    start = end + 1;
    return textBlocks(text);
  });
}

/** The API refuses text of nothing but white space. */
function textBlocks(text: string): JsonObject[] {
  return text.trim() === '' ? [] : [{ type: 'text', text }];
}
