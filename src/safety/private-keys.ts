/** Takes private key blocks out of text, also where only a part of the block is there. */

const mark = '[REDACTED PRIVATE KEY]';
const beginMark = /-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----/g;
const endMark = /-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----/g;
/** No key is longer; a `BEGIN` whose `END` is further away was only mentioned. */
const maxBlockChars = 20_000;
/** A line of key material or of its headers; file tools put a line number and `|` in front. */
const material = /^\s*(?:\d+\s*[|:]\s*)?(?:[A-Za-z0-9+/=]{1,128}|[A-Z][\w-]{2,20}: .*)?\s*$/;

/** Whole blocks, a block whose end was cut off, and the rest of a block whose start was cut off. Linear time. */
export function redactPrivateKeys(text: string): string {
  const begins = findAll(text, beginMark);
  const ends = findAll(text, endMark);
  let result = '';
  let position = 0;
  let nextEnd = 0;
  for (const [index, begin] of begins.entries()) {
    if (begin.from < position) continue;
    while (nextEnd < ends.length && (ends[nextEnd]?.from ?? 0) < begin.from) {
      const orphan = ends[nextEnd++];
      if (orphan === undefined || orphan.from < position) continue;
      result = dropTrailingMaterial(result + text.slice(position, orphan.from)) + mark;
      position = orphan.to;
    }
    const end = ends[nextEnd];
    const following = begins[index + 1]?.from ?? Number.POSITIVE_INFINITY;
    const whole = end !== undefined && end.from < following && end.from - begin.to <= maxBlockChars;
    result += text.slice(position, begin.from) + mark;
    position = whole ? end.to : endOfMaterial(text, begin.to);
  }
  for (const orphan of ends.slice(nextEnd)) {
    if (orphan.from < position) continue;
    result = dropTrailingMaterial(result + text.slice(position, orphan.from)) + mark;
    position = orphan.to;
  }
  return result + text.slice(position);
}

interface Span {
  readonly from: number;
  readonly to: number;
}

function findAll(text: string, pattern: RegExp): Span[] {
  return [...text.matchAll(pattern)].map((found) => ({ from: found.index, to: found.index + found[0].length }));
}

/** Where the lines that can be key material end; the line break before the first other line stays. */
function endOfMaterial(text: string, from: number): number {
  let position = from;
  while (position < text.length && text[position] === '\n') {
    const lineEnd = endOfLine(text, position + 1);
    if (!material.test(text.slice(position + 1, lineEnd))) break;
    position = lineEnd;
  }
  // What follows on the mark's own line is material too: a key in a program's string has `\n` written out.
  return position === from ? endOfRun(text, from) : position;
}

function endOfLine(text: string, from: number): number {
  const found = text.indexOf('\n', from);
  return found === -1 ? text.length : found;
}

function endOfRun(text: string, from: number): number {
  const run = /[A-Za-z0-9+/=\\]*/y;
  run.lastIndex = from;
  return from + (run.exec(text)?.[0].length ?? 0);
}

/** Drops the lines of key material at the end, as far as there is at least one long one among them. */
function dropTrailingMaterial(text: string): string {
  const lines = text.slice(-maxBlockChars).split('\n');
  let first = lines.length - 1;
  while (first > 0 && material.test(lines[first - 1] ?? '') && (lines[first - 1] ?? '').trim() !== '') first -= 1;
  const dropped = lines.slice(first, -1);
  if (!dropped.some((line) => /[A-Za-z0-9+/=]{40,}/.test(line))) return text;
  return text.slice(0, text.length - lines.slice(first).join('\n').length);
}
