/** Brace expansion of one word, as bash does it before everything else. */

const maxWords = 64;

/** Longer words are not taken apart. */
const maxWordChars = 1_000;

/**
 * The words that `{a,b}` and `{1..3}` stand for, quotes kept; the word itself when it has no braces to expand;
 * `undefined` when that are too many to look at.
 */
export function expandBraces(word: string): string[] | undefined {
  if (!word.includes('{')) return [word];
  if (word.length > maxWordChars) return undefined;
  let words = [word];
  // Every round expands the first group of each word; nested groups are reached in later rounds.
  for (;;) {
    const next = words.flatMap(expandFirst);
    if (next.length > maxWords) return undefined;
    if (next.every((text, index) => text === words[index])) return next;
    words = next;
  }
}

interface Mark {
  readonly at: number;
  readonly character: string;
}

interface Group {
  readonly alternatives: readonly string[];
  readonly start: number;
  readonly end: number;
}

function expandFirst(word: string): string[] {
  const marks = unquotedMarks(word);
  for (const [index, mark] of marks.entries()) {
    const group = mark.character === '{' ? readGroup(word, marks.slice(index)) : undefined;
    if (group === undefined) continue;
    const before = word.slice(0, group.start);
    const after = word.slice(group.end + 1);
    return group.alternatives.map((alternative) => before + alternative + after);
  }
  return [word];
}

/** The alternatives of the group that opens at the first mark; nothing when it is not a brace expansion. */
function readGroup(word: string, marks: readonly Mark[]): Group | undefined {
  const start = marks[0]?.at ?? 0;
  const alternatives: string[] = [];
  let depth = 0;
  let from = start + 1;
  for (const { at, character } of marks) {
    if (character === '{') depth += 1;
    else if (character === '}') depth -= 1;
    else if (depth === 1) {
      alternatives.push(word.slice(from, at));
      from = at + 1;
    }
    if (depth > 0) continue;
    const last = word.slice(from, at);
    if (alternatives.length > 0) return { alternatives: [...alternatives, last], start, end: at };
    const sequence = readSequence(last);
    return sequence === undefined ? undefined : { alternatives: sequence, start, end: at };
  }
  return undefined;
}

/** Only the first of a long sequence: numbers and letters in a row hide nothing. */
function readSequence(text: string): string[] | undefined {
  const found = /^(-?\d{1,9}|[a-z])\.\.(-?\d{1,9}|[a-z])(?:\.\.-?\d{1,9})?$/i.exec(text);
  if (found === null) return undefined;
  const [, first = '', last = ''] = found;
  const letters = /[a-z]/i.test(first);
  const from = letters ? first.charCodeAt(0) : Number(first);
  const to = letters ? last.charCodeAt(0) : Number(last);
  const step = from <= to ? 1 : -1;
  const count = Math.min(Math.abs(to - from) + 1, 4);
  return Array.from({ length: count }, (_, index) => {
    const value = from + index * step;
    return letters ? String.fromCharCode(value) : String(value);
  });
}

/** Braces and commas that are neither quoted nor escaped nor inside a substitution. */
function unquotedMarks(word: string): Mark[] {
  const marks: Mark[] = [];
  let depth = 0;
  let quote = '';
  for (let at = 0; at < word.length; at++) {
    const character = word[at] ?? '';
    if (character === '\\' && quote !== "'") at += 1;
    else if (quote !== '') quote = character === quote ? '' : quote;
    else if (character === "'" || character === '"' || character === '`') quote = character;
    else if (character === '(') depth += 1;
    else if (character === ')') depth -= 1;
    else if (character === '$' && word[at + 1] === '{') at = endOfParameter(word, at);
    else if (depth === 0 && '{,}'.includes(character)) marks.push({ at, character });
  }
  return marks;
}

function endOfParameter(word: string, from: number): number {
  const close = word.indexOf('}', from);
  return close === -1 ? word.length : close;
}
