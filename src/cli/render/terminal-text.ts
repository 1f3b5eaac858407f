/** Text from models, tools and files, made safe to print: it may not move the cursor, recolour or retitle the terminal. */
import { stripAnsi } from '../../lib/ansi.ts';

/** C0 and C1 controls except newline and tab, and the marks that reorder or hide text. */
const unsafe = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

/** The text without escape sequences and control characters; newlines and tabs stay, `\r\n` becomes `\n`. */
export function terminalText(text: string): string {
  return stripAnsi(text).replaceAll('\r\n', '\n').replace(unsafe, '');
}

/** The same on one line, white space folded, at most `maxChars` long. */
export function oneLine(text: string, maxChars: number): string {
  const line = terminalText(text).replace(/\s+/g, ' ').trim();
  return line.length <= maxChars ? line : `${line.slice(0, Math.max(0, maxChars - 3))}...`;
}
