/** Text that a file adds to the prompt: read within bounds, scanned for orders to the model, and cut to size. */
import { closeSync, constants, fstatSync, openSync, readSync, realpathSync, statSync } from 'node:fs';
import { errorCode, errorMessage } from '../lib/errors.ts';

/** Names what is wrong with a text; `rule` is an id such as `prompt_injection`. */
export type ScanText = (text: string) => readonly { readonly rule: string }[];

/** How files that steer the model are let in. */
export interface RuleTextLimits {
  readonly scan: ScanText;
  /** Most characters of one file (`context_file_max_chars`, or `roomForRules`). */
  readonly maxChars: number;
  /** False for files whose text no model may see, by their real path. Absent = all may be read. */
  readonly mayRead?: (realPath: string) => boolean;
  /** True for the names of rule files that count. */
  readonly names: (name: string) => boolean;
}

/** Reads `HERMES_MD_NAMES`: the only file names that count, separated by commas; empty = all. */
export function ruleNames(list: string): (name: string) => boolean {
  const known = new Set(list.split(',').map((name) => name.trim().toLowerCase()));
  known.delete('');
  return (name) => known.size === 0 || known.has(name.toLowerCase());
}

/** The characters of one file that a model has room for, by its window in tokens. */
export function roomForRules(contextLength: number | undefined): number {
  const [share, charsPerToken, least, most] = [0.06, 4, 20_000, 500_000];
  return Math.min(Math.max(Math.floor((contextLength ?? 0) * share * charsPerToken), least), most);
}

/** Which files may be read at all. */
export interface FileRules {
  readonly mayRead?: RuleTextLimits['mayRead'] | undefined;
  /**
   * Ids of the users whose files count; absent = everybody's. Where others can write, such as above `/tmp/work`, a
   * stranger's file must not steer the work.
   */
  readonly owners?: readonly number[] | undefined;
}

/** The owners that are trusted in and around a directory: this user, root, and whoever owns the directory. */
export function trustedOwners(directory: string): readonly number[] | undefined {
  if (process.getuid === undefined) return undefined;
  const own = [0, process.getuid()];
  try {
    return [...own, statSync(directory).uid];
  } catch {
    // Without the directory nobody else owns it.
    return own;
  }
}

/** Neither: there is no such file. */
export type RuleFile = { readonly text: string } | { readonly warning: string } | undefined;

/** A file that steers a model is a page or two; one of more bytes than this is not what its name says. */
const maxFileBytes = 1024 * 1024;

/** The whole text of a file, trimmed. Never throws: what cannot be used is a warning of one line. */
export function readRuleFile(path: string, rules: FileRules = {}): RuleFile {
  const { mayRead } = rules;
  let file: number;
  try {
    // Most of what is looked for is not there, and an error costs more than a look.
    if (statSync(path, { throwIfNoEntry: false }) === undefined) return undefined;
    if (mayRead !== undefined && !mayRead(realpathSync(path)))
      return { warning: `${path}: left out, it is protected.` };
    // A named pipe must not hold up the start.
    file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  } catch (error) {
    const code = errorCode(error);
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    return { warning: `${path}: cannot be read (${code ?? errorMessage(error)}).` };
  }
  try {
    return readOpened(path, file, rules.owners);
  } catch (error) {
    return { warning: `${path}: cannot be read (${errorCode(error) ?? errorMessage(error)}).` };
  } finally {
    closeSync(file);
  }
}

/** A text that was found in a file. */
export interface FoundText {
  readonly path: string;
  /** How the model knows the file. */
  readonly label: string;
  readonly text: string;
}

export interface AdmittedText {
  /** As it goes into the prompt. */
  readonly text: string;
  /** One line for the user when the file, or its middle, is kept from the model; otherwise none. */
  readonly warnings: readonly string[];
}

/** Replaces the text whole when the scan finds something, and cuts it in the middle when it is too long. */
export function admitText(
  { path, label, text }: FoundText,
  limits: Pick<RuleTextLimits, 'scan' | 'maxChars'>,
): AdmittedText {
  const rules = [...new Set(limits.scan(text).map(({ rule }) => rule))].join(', ');
  if (rules === '') {
    return { text: cutMiddle(label, text, limits.maxChars), warnings: cutWarning(path, text.length, limits.maxChars) };
  }
  return {
    text: `[BLOCKED: ${label} contained potential prompt injection (${rules}). Content not loaded.]`,
    warnings: [`${path}: kept from the model, it reads like an attack (${rules}).`],
  };
}

function readOpened(path: string, file: number, owners: FileRules['owners']): RuleFile {
  const found = fstatSync(file);
  if (!found.isFile()) return { warning: `${path}: left out, it is not a file.` };
  if (owners?.includes(found.uid) === false) return { warning: `${path}: left out, it belongs to another user.` };
  if (found.size > maxFileBytes) return { warning: `${path}: left out, it is larger than 1 MiB.` };
  const bytes = Buffer.allocUnsafe(found.size);
  let length = 0;
  while (length < bytes.length) {
    const read = readSync(file, bytes, length, bytes.length - length, length);
    if (read === 0) break;
    length += read;
  }
  const text = bytes.toString('utf8', 0, length);
  if (text.includes('\0')) return { warning: `${path}: left out, it is not a text file.` };
  return {
    text: text
      .replace(/^\uFEFF/, '')
      .replaceAll('\r\n', '\n')
      .trim(),
  };
}

/** Numbers are put into words only for who is told: the first one loads the languages of the world, 7 MB. */
function cutWarning(path: string, chars: number, most: number): readonly string[] {
  if (chars <= most) return [];
  return [
    `${path}: only its start and end reach the model, it is longer than ${most.toLocaleString('en-US')} characters.`,
  ];
}

/** Keeps the first 70 % and the last 20 % of the limit. */
function cutMiddle(label: string, text: string, limit: number): string {
  if (text.length <= limit) return text;
  const head = Math.floor(limit * 0.7);
  const tail = Math.floor(limit * 0.2);
  const marker = `[...truncated ${label}: kept ${head}+${tail} of ${text.length} chars. Use file tools to read the full file.]`;
  return `${wholeLetters(text.slice(0, head))}\n\n${marker}\n\n${wholeLetters(text.slice(text.length - tail))}`;
}

/** Half of a surrogate pair at a cut is not text. */
function wholeLetters(text: string): string {
  return text.replace(/^[\uDC00-\uDFFF]/, '').replace(/[\uD800-\uDBFF]$/, '');
}
