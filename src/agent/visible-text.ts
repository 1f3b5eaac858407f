/** Separates what a model thought from what it said, where both stand in one text. */

const thinkingTags = ['think', 'thinking', 'reasoning', 'REASONING_SCRATCHPAD'];
const closedBlock = new RegExp(`<(${thinkingTags.join('|')})>[\\s\\S]*?</\\1>\\s*`, 'gi');
const openBlock = new RegExp(`<(?:${thinkingTags.join('|')})>(?![\\s\\S]*</)[\\s\\S]*$`, 'i');

/** The text a person should see: thinking blocks removed, an unclosed one to the end. */
export function visibleText(content: string | null): string {
  if (content === null || !content.includes('<')) return content ?? '';
  return content.replace(closedBlock, '').replace(openBlock, '').trim();
}

/** True when a thinking block was begun and never closed. */
export function endsInThought(content: string | null): boolean {
  return content?.includes('<') === true && openBlock.test(content.replace(closedBlock, ''));
}
