/** What a chat shows of an answer while it is still being written. */
import { findFences } from '../text/markdown/fences.ts';
import { endWithin, measure, type LengthUnit } from '../text/length.ts';

export interface PreviewRules {
  readonly limit: number;
  readonly unit: LengthUnit;
  readonly cursor: string;
}

/** Shown while an answer is written: the text and a cursor; without text nothing. */
export function withCursor(text: string, cursor: string): string {
  return text.trim() === '' ? '' : text + cursor;
}

/** The text without a cursor that an interrupted edit has left behind. */
export function withoutCursor(text: string, cursor: string): string {
  return cursor !== '' && text.endsWith(cursor) ? text.slice(0, -cursor.length) : text;
}

/**
 * What stays in the message when the text has outgrown it, and what goes into the next one; undefined while it fits.
 * It is cut at the last line break of the second half, else at its end; a code block that is open
 * there is closed and opened again.
 */
export function overflow(
  text: string,
  { limit, unit, cursor }: PreviewRules,
): { done: string; rest: string } | undefined {
  if (limit <= 0) return undefined;
  // The final text may grow when it is formatted.
  const room = Math.min(limit, Math.max(LEAST_ROOM, limit - measure(cursor, unit) - SPARE));
  const end = endWithin(text, 0, room, unit);
  if (end === text.length) return undefined;
  const line = text.lastIndexOf('\n', end - 1);
  const cut = line >= Math.max(1, end / 2) ? line : end;
  const done = text.slice(0, cut);
  const rest = text.slice(cut).replace(/^\n+/, '');
  const open = findFences(done).findLast(({ closed }) => !closed);
  if (open === undefined) return { done, rest };
  return { done: `${done}\n${open.marker}`, rest: `${open.marker}${open.info}\n${rest}` };
}

const SPARE = 100;
const LEAST_ROOM = 500;
