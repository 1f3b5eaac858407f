/** Code spans and links: where they end, if one begins at a place. */

export interface CodeSpan {
  readonly code: string;
  readonly end: number;
}

export interface LinkSpan {
  readonly label: string;
  readonly url: string;
  readonly end: number;
}

// Longer ones are stray marks far apart; looking further would take time that grows with the square of the text.
const MAX_CODE = 4000;
const MAX_LABEL = 1000;
const MAX_URL = 4000;
const MAX_RUN = 64;

/** The code span whose first backtick is at `at`; it does not reach over a blank line. */
export function codeSpanAt(text: string, at: number): CodeSpan | undefined {
  const ticks = runOf(text, at, '`');
  const start = at + ticks;
  const limit = Math.min(text.length, start + MAX_CODE);
  for (let close = text.indexOf('`', start); close !== -1 && close < limit; ) {
    const length = runOf(text, close, '`');
    if (length === ticks) {
      const code = text.slice(start, close);
      return code.includes('\n\n') ? undefined : { code, end: close + ticks };
    }
    close = text.indexOf('`', close + length);
  }
  return undefined;
}

/** Finds the link `[label](address)` whose first bracket is at a place of the text. */
export type LinkReader = (at: number) => LinkSpan | undefined;

/** Brackets and parentheses within a link are in pairs. For one text one reader: it looks for the pairs once. */
export function linkReader(text: string): LinkReader {
  let pairs: { readonly square: Pairs; readonly round: Pairs } | undefined;
  return (at) => {
    pairs ??= { square: pairsOf(text, '[', ']'), round: pairsOf(text, '(', ')') };
    const labelEnd = within(MAX_LABEL, at, pairs.square.get(at));
    if (labelEnd === undefined || text[labelEnd + 1] !== '(') return undefined;
    const end = within(MAX_URL, labelEnd + 1, pairs.round.get(labelEnd + 1));
    if (end === undefined) return undefined;
    const target = text.slice(labelEnd + 2, end).trim();
    const parts = /^<?(\S*?)>?(?:\s+(?:"[^"]*"|'[^']*'))?$/.exec(target);
    const url = parts?.[1] ?? '';
    return url === '' ? undefined : { label: text.slice(at + 1, labelEnd), url, end: end + 1 };
  };
}

/** How often the character stands at `at` in a row; no mark is longer than what is counted. */
export function runOf(text: string, at: number, character: string): number {
  let length = 0;
  while (length < MAX_RUN && text[at + length] === character) length += 1;
  return length;
}

/** For the place of each opening bracket that is closed on its line, that of the one that closes it. */
type Pairs = ReadonlyMap<number, number>;

function pairsOf(text: string, open: string, close: string): Pairs {
  const pairs = new Map<number, number>();
  // Brackets that are still open; those behind a backslash end with the one around them, and those within no other stand first.
  let waiting: number[][] = [[]];
  const marks = new RegExp(`\\\\[^]|\\n|\\${open}|\\${close}`, 'g');
  for (const { 0: mark, index } of text.matchAll(marks)) {
    if (mark.startsWith('\\')) {
      if (mark.endsWith(open)) waiting.at(-1)?.push(index + 1);
    } else if (mark === '\n') {
      waiting = [[]];
    } else if (mark === open) {
      waiting.push([index]);
    } else {
      for (const place of waiting.pop() ?? []) pairs.set(place, index);
      if (waiting.length === 0) waiting.push([]);
    }
  }
  return pairs;
}

const within = (most: number, from: number, to: number | undefined): number | undefined =>
  to !== undefined && to - from < most ? to : undefined;
