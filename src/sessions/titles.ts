/** What a session title may look like, and how titles of one lineage are numbered. */
import { UserError } from '../lib/errors.ts';
import { wellFormed } from './well-formed.ts';

const MAX_TITLE_LENGTH = 100;

// Control characters except tab, line feed and carriage return, which count as white space below.
const CONTROL = /[\u0000-\u0008\u000B\u000C\u000E-\u001F\u007F]/g;
// Zero-width, bidirectional and interlinear characters: invisible, and able to make two titles look alike.
const INVISIBLE = /[\u200B-\u200F\u2028-\u202E\u2060-\u2069\uFEFF\uFFFC\uFFF9-\uFFFB]/g;
const NUMBERED = /^(.*?) #(\d+)$/s;

/** The title as it is stored; null when nothing is left. Throws `UserError` when it is longer than 100 characters. */
export function cleanTitle(title: string): string | null {
  const clean = wellFormed(title.replace(CONTROL, '').replace(INVISIBLE, '')).replace(/\s+/g, ' ').trim();
  if (clean === '') return null;
  // As the original counts: an emoji is one.
  const { length } = Array.from(clean);
  if (length > MAX_TITLE_LENGTH) {
    throw new UserError(`Title too long (${length} characters, at most ${MAX_TITLE_LENGTH}).`, {
      hint: 'Choose a shorter title.',
    });
  }
  return clean;
}

/** The title without its trailing ` #N`. */
export function baseTitle(title: string): string {
  return NUMBERED.exec(title)?.[1] ?? title;
}

/** True for `base` and `base #N`. */
export function isOfLineage(title: string | null, base: string): boolean {
  return title !== null && numberOf(title, base) !== undefined;
}

/** The next title of a lineage whose highest number is `highest`; the bare `base` counts as 1. Undefined or null: none is taken. */
export function numberTitle(base: string, highest: number | null | undefined): string {
  return highest == null ? base : `${base} #${highest + 1}`;
}

/** Of sessions of a title's lineage, newest first: the newest `title #N` if there is any, else the exact match. */
export function chooseByTitle<Row extends { readonly title: string | null }>(
  rows: readonly Row[],
  title: string,
): Row | undefined {
  return rows.find((row) => row.title !== title) ?? rows[0];
}

/** The error for a title that another session has. */
export function takenTitle(title: string, owner: string): UserError {
  return new UserError(`Title '${title}' is already in use by session ${owner}.`, {
    hint: 'Choose another title, or rename that session first.',
  });
}

/** N of `base #N`, 1 for the bare base, undefined for any other title. */
function numberOf(title: string, base: string): number | undefined {
  if (title === base) return 1;
  const parts = NUMBERED.exec(title);
  return parts?.[1] === base ? Number(parts[2]) : undefined;
}
