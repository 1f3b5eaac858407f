/** Exported variables as shells print them, and which of them may pass from a confined shell to one outside. */

export type Exports = ReadonlyMap<string, string>;
/** Without a value: it is no longer exported. */
export type ExportChanges = ReadonlyMap<string, string | undefined>;

/** The kernel takes no longer one. */
const maxValueBytes = 128 * 1024;
const maxVariables = 2000;

/**
 * Reads what `export -p` prints, in bash's words or in those of POSIX. Only plain text comes out of it: nothing is
 * evaluated, and what is not understood is left out.
 */
export function readExports(text: string): Exports {
  const found = new Map<string, string>();
  const entry = /(?:declare -[A-Za-z]*x[A-Za-z]*|export) ([A-Za-z_]\w{0,199})(=|\n|$)/y;
  for (let at = 0; at < text.length && found.size < maxVariables; ) {
    entry.lastIndex = at;
    const [whole, name = '', sign] = entry.exec(text) ?? [];
    if (whole === undefined) {
      at = nextLine(text, at);
      continue;
    }
    at += whole.length;
    if (sign !== '=') continue;
    const value = readValue(text, at);
    if (value !== undefined && value.text.length <= maxValueBytes) found.set(name, value.text);
    at = nextLine(text, value?.end ?? at);
  }
  return found;
}

export function exportChanges(before: Exports, after: Exports): ExportChanges {
  const changes = new Map<string, string | undefined>();
  for (const [name, value] of after) if (before.get(name) !== value && !belongsToShell(name)) changes.set(name, value);
  for (const name of before.keys()) if (!after.has(name) && !belongsToShell(name)) changes.set(name, undefined);
  return changes;
}

/** Variables that every shell has for itself. */
function belongsToShell(name: string): boolean {
  return shellOwn.has(name) || name.startsWith('HERMES_');
}

const shellOwn = new Set(['_', 'PWD', 'OLDPWD', 'SHLVL']);

interface Value {
  readonly text: string;
  readonly end: number;
}

/** Quoted and bare pieces up to the end of the line. */
function readValue(text: string, start: number): Value | undefined {
  const pieces: string[] = [];
  const piece = /"((?:[^"\\]|\\[\s\S])*)"|\$'((?:[^'\\]|\\[\s\S])*)'|'([^']*)'|\\([^\n])|([^"'\\$\n]+)/y;
  let at = start;
  while (at < text.length && text[at] !== '\n') {
    piece.lastIndex = at;
    const [whole, double, ansi, single, escaped, bare] = piece.exec(text) ?? [];
    if (whole === undefined) return undefined;
    if (double !== undefined)
      pieces.push(double.replaceAll(/\\(\n|[$`"\\])/g, (_all, kept: string) => (kept === '\n' ? '' : kept)));
    else if (ansi !== undefined) pieces.push(readAnsi(ansi));
    else pieces.push(single ?? escaped ?? bare ?? '');
    at += whole.length;
  }
  return { text: pieces.join(''), end: at };
}

const ansiLetters: Readonly<Record<string, string>> = {
  a: '\u0007',
  b: '\b',
  e: '\u001b',
  E: '\u001b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
};

/** `$'…'`: bytes are written as octal numbers. */
function readAnsi(text: string): string {
  const bytes: Buffer[] = [];
  for (const [, octal, hex, letter, plain] of text.matchAll(
    /\\([0-7]{1,3})|\\x([0-9a-fA-F]{1,2})|\\([\s\S])|([^\\]+)/g,
  )) {
    if (octal !== undefined) bytes.push(Buffer.from([Number.parseInt(octal, 8) & 0xff]));
    else if (hex !== undefined) bytes.push(Buffer.from([Number.parseInt(hex, 16)]));
    else bytes.push(Buffer.from(letter === undefined ? (plain ?? '') : (ansiLetters[letter] ?? letter)));
  }
  return Buffer.concat(bytes).toString('utf8');
}

function nextLine(text: string, from: number): number {
  const found = text.indexOf('\n', from);
  return found === -1 ? text.length : found + 1;
}
