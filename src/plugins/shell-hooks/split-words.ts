/** A command line as words, the way a POSIX shell splits it, with nothing expanded but a leading `~`. */
import { homedir } from 'node:os';

/** Undefined when a quote is not closed, or when there is no word. */
export function splitWords(line: string): readonly string[] | undefined {
  const words: string[] = [];
  let word: string | undefined;
  for (let at = 0; at < line.length; at += 1) {
    const char = line.charAt(at);
    if (/\s/.test(char)) {
      if (word !== undefined) words.push(word);
      word = undefined;
    } else if (char === "'" || char === '"') {
      const quoted = readQuoted(line, at);
      if (quoted === undefined) return undefined;
      word = (word ?? '') + quoted.text;
      at = quoted.end;
    } else if (char === '\\') {
      if (at + 1 === line.length) return undefined;
      at += 1;
      word = (word ?? '') + line.charAt(at);
    } else word = (word ?? '') + char;
  }
  if (word !== undefined) words.push(word);
  return words.length === 0 ? undefined : words;
}

/** The words of a command of the configuration: a `~` in front means the owner's directory. */
export function commandWords(command: string, home: string = homedir()): readonly string[] | undefined {
  return splitWords(command)?.map((word) => word.replace(/^~(?=\/|$)/, () => home));
}

/** `end`: where the closing quote stands. */
function readQuoted(line: string, start: number): { readonly text: string; readonly end: number } | undefined {
  const quote = line.charAt(start);
  let text = '';
  for (let at = start + 1; at < line.length; at += 1) {
    const char = line.charAt(at);
    if (char === quote) return { text, end: at };
    const next = line.charAt(at + 1);
    if (quote === '"' && char === '\\' && (next === '"' || next === '\\')) {
      text += next;
      at += 1;
    } else text += char;
  }
  return undefined;
}
