/** Which programs of `awk` only compute and print. */
import { UNKNOWN } from '../commands/fields.ts';

const maxChars = 4_000;

/** No file, pipe, connection or call of a program; what cannot be taken apart is not plain. */
export function isPlainAwk(program: string): boolean {
  if (program === '' || program.includes(UNKNOWN) || program.length > maxChars) return false;
  // Also within strings: a function may be called by the name that a string holds.
  if (/system|getline|@|\/inet|\\\n/.test(program)) return false;
  const code = withoutTexts(program);
  if (code === undefined || code.replaceAll('||', ' ').includes('|')) return false;
  // `>` behind something printed is a file, in parentheses or not.
  return !/\bprintf?\b[^;}]*>/.test(code);
}

/** The program with its strings and regular expressions emptied, and without comments. */
function withoutTexts(program: string): string | undefined {
  let code = '';
  for (let index = 0; index < program.length; index++) {
    const letter = program[index] ?? '';
    if (letter === '#') {
      const end = program.indexOf('\n', index);
      index = end === -1 ? program.length : end - 1;
    } else if (letter === '/' && /\)[ \t]*$/.test(code)) {
      return undefined;
    } else if (letter === '"' || (letter === '/' && !isDivision(code))) {
      // `a++ /b/ c` and `(a) /b/ c` can be read in two ways.
      if (letter === '/' && /[+-][ \t]*$/.test(code)) return undefined;
      const text = textFrom(program, index);
      if (text === undefined) return undefined;
      code += letter + letter;
      index += text.length - 1;
    } else {
      code += letter;
    }
  }
  return code;
}

function isDivision(before: string): boolean {
  return /[\w\]$"][ \t]*$/.test(before) && !/\b(?:in|return|print|printf|else|do|case|exit|next)[ \t]*$/.test(before);
}

/** The string or expression that begins there; undefined when it has no end, or one that is not certain. */
function textFrom(program: string, from: number): string | undefined {
  const quote = program[from];
  for (let index = from + 1; index < program.length; index++) {
    const letter = program[index];
    if (letter === '\\') index += 1;
    else if (letter === '\n') return undefined;
    else if (letter === quote) {
      const text = program.slice(from, index + 1);
      const brackets = text.replaceAll(/\\./g, '');
      const open = quote === '/' && brackets.replaceAll(/\[\^?\]?[^\]]*\]/g, '').includes('[');
      return open ? undefined : text;
    }
  }
  return undefined;
}
