/** Which scripts of `sed` only edit lines. */
import { UNKNOWN } from '../commands/fields.ts';

const maxChars = 4_000;
const address = String.raw`(?:\d+(?:~\d+)?|\$|/(?:\\.|[^\\/\n[])*/[IM]*|/(?:\\.|[^\\/\n[]|\[[^\]/\n]+\])*/[IM]*)`;
// Blanks are taken in one place each: where two could take the same ones, many of them would be tried in every way.
const selection = String.raw`(?:${address}(?:\s*,\s*(?:${address}|[+~]\d+))?\s*)?(?:!\s*)?`;
const end = String.raw`(?=\s*(?:[;}#\n]|$))`;
/** Commands that write no file, run nothing and read no commands: not `w`, `W`, `r`, `R`, `e`, `F`. */
const commands = [
  String.raw`\{`,
  `[dDgGhHnNpPxz=l]${end}`,
  String.raw`[qQ]\s*\d*${end}`,
  String.raw`[bt][ \t]*\w*${end}`,
  String.raw`:[ \t]*\w+${end}`,
  String.raw`[aic](?:\\\n|\\.|[^\\\n])*(?:\n|$)`,
  String.raw`#[^\n]*`,
  String.raw`y([/|,:#@])(?:\\.|(?!\1)[^\\\n])*\1(?:\\.|(?!\1)[^\\\n])*\1${end}`,
];
const between = /^[\s;}]+/;
const plain = new RegExp(String.raw`^${selection}(?:${commands.join('|')})`, 's');
const substitution = new RegExp(String.raw`^${selection}s([^\\\n\w\s])`, 's');

/** A script that cannot be taken apart is not plain. */
export function isPlainSed(script: string): boolean {
  if (script.includes(UNKNOWN) || script.length > maxChars) return false;
  let rest = script.replace(between, '');
  while (rest !== '') {
    const next = afterSubstitution(rest) ?? afterPlain(rest);
    if (next === undefined || next.length >= rest.length) return false;
    rest = next.replace(between, '');
  }
  return script !== '';
}

function afterPlain(text: string): string | undefined {
  const found = plain.exec(text);
  return found === null ? undefined : text.slice(found[0].length);
}

/** What follows `s/a/b/` with flags that only choose; undefined for another command, and for other flags. */
function afterSubstitution(text: string): string | undefined {
  const found = substitution.exec(text);
  const delimiter = found?.[1];
  if (found === null || delimiter === undefined) return undefined;
  const from = found[0].length;
  const middle = endOfPart(text, from, delimiter);
  const last = middle === undefined ? undefined : endOfPart(text, middle + 1, delimiter);
  if (middle === undefined || last === undefined) return undefined;
  // Within brackets the delimiter is a letter like any other for some.
  if (hasOpenBracket(text.slice(from, middle))) return undefined;
  const tail = text.slice(last + 1);
  const flags = /^[gpiIMm\d]*(?=\s*(?:[;}#\n]|$))/.exec(tail);
  return flags === null ? undefined : tail.slice(flags[0].length);
}

function endOfPart(text: string, from: number, delimiter: string): number | undefined {
  for (let index = from; index < text.length; index++) {
    if (text[index] === '\\') index += 1;
    else if (text[index] === delimiter) return index;
  }
  return undefined;
}

function hasOpenBracket(pattern: string): boolean {
  const closed = pattern.replaceAll(/\\./gs, '').replaceAll(/\[\^?\]?[^\]]*\]/g, '');
  return closed.includes('[');
}
