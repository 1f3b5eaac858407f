/** Separates what a model thought from what it said, where both stand in one text. */
import { hasThinking, splitThinking } from '../llm/thinking.ts';

/** The text a person should see, without thinking blocks. */
export function visibleText(content: string | null): string {
  if (content === null || !hasThinking(content)) return content ?? '';
  return splitThinking(content).text.trim();
}

/** True when a thinking block was begun, never closed, and nothing was said. */
export function endsInThought(content: string | null): boolean {
  if (content === null || !hasThinking(content) || visibleText(content) !== '') return false;
  return !/<\/(?:think|thinking|reasoning|REASONING_SCRATCHPAD)>\s*$/i.test(content);
}
