/** Keeps entries that read like an attack from the model, wherever entries are shown to it. */
import { scanNote } from '../safety/injection.ts';

/** Ids of the rules that the text breaks, once each; empty for a harmless one. */
export function threatsIn(text: string): readonly string[] {
  return [...new Set(scanNote(text).map(({ rule }) => rule))];
}

/** The entry as a model may see it: itself, or a line in its place. What is stored is not touched. */
export function fenced(entry: string): string {
  const threats = threatsIn(entry);
  if (threats.length === 0) return entry;
  return `[BLOCKED: this entry contained potential prompt injection (${threats.join(', ')}).]`;
}
