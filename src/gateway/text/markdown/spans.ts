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

/** The link `[label](address)` whose first bracket is at `at`. Brackets and parentheses within it are in pairs. */
export function linkAt(text: string, at: number): LinkSpan | undefined {
  const labelEnd = closingOf(text, at, '[', ']', MAX_LABEL);
  if (labelEnd === undefined || text[labelEnd + 1] !== '(') return undefined;
  const end = closingOf(text, labelEnd + 1, '(', ')', MAX_URL);
  if (end === undefined) return undefined;
  const target = text.slice(labelEnd + 2, end).trim();
  const parts = /^<?(\S*?)>?(?:\s+(?:"[^"]*"|'[^']*'))?$/.exec(target);
  const url = parts?.[1] ?? '';
  return url === '' ? undefined : { label: text.slice(at + 1, labelEnd), url, end: end + 1 };
}

/** How often the character stands at `at` in a row; no mark is longer than what is counted. */
export function runOf(text: string, at: number, character: string): number {
  let length = 0;
  while (length < MAX_RUN && text[at + length] === character) length += 1;
  return length;
}

/** The bracket that closes the one at `at`, on the same line. */
function closingOf(text: string, at: number, open: string, close: string, max: number): number | undefined {
  const limit = Math.min(text.length, at + max);
  let depth = 0;
  for (let place = at; place < limit && text[place] !== '\n'; place += 1) {
    if (text[place] === '\\') place += 1;
    else if (text[place] === open) depth += 1;
    else if (text[place] === close) depth -= 1;
    if (depth === 0) return place;
  }
  return undefined;
}
