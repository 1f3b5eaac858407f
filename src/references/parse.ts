/** Finds `@file:`, `@folder:`, `@diff`, `@staged`, `@git:` and `@url:` in what a user typed. */

export type Reference =
  | { readonly kind: 'file'; readonly raw: string; readonly path: string; readonly lines?: LineRange }
  | { readonly kind: 'folder'; readonly raw: string; readonly path: string }
  | { readonly kind: 'diff' | 'staged'; readonly raw: string }
  | { readonly kind: 'git'; readonly raw: string; readonly count: number }
  | { readonly kind: 'url'; readonly raw: string; readonly url: string };

/** Counted from 1, both ends included. */
export interface LineRange {
  readonly from: number;
  readonly to: number;
}

export interface ParsedMessage {
  /** In the order they were typed, each once. */
  readonly references: readonly Reference[];
  /** The message without them. */
  readonly rest: string;
}

/** What can be typed, with what it brings in; those that end in `:` want something behind it. */
export const referenceKinds = [
  { text: '@file:', meaning: 'a file, or lines of it: @file:name:10-20' },
  { text: '@folder:', meaning: 'what lies in a folder' },
  { text: '@diff', meaning: 'changes that are not staged' },
  { text: '@staged', meaning: 'changes that are staged' },
  { text: '@git:', meaning: 'the last commits: @git:3' },
  { text: '@url:', meaning: 'the text of a web page' },
] as const;

/** A path with spaces stands in quotes of any kind; the lines of a file come after them. */
const quoted = /(?:"[^"\n]+"|'[^'\n]+'|`[^`\n]+`)(?::\d{1,9}(?:-\d{1,9})?)?/;

/** An address or a path may have an `@` in it, so none counts after a letter, a digit, `_` or `/`. */
const token = new RegExp(
  `(?<![\\p{L}\\p{N}_/])@(?:(?:diff|staged)(?![\\p{L}\\p{N}_/-])|(?:file|folder|git|url):(?:${quoted.source}|\\S+))`,
  'gu',
);

/** Linear in the length of the text; text without references comes back as it is. */
export function parseReferences(text: string): ParsedMessage {
  const references = new Map<string, Reference>();
  let rest = '';
  let end = 0;
  for (const match of text.matchAll(token)) {
    const raw = withoutPunctuation(match[0]);
    const reference = readReference(raw);
    if (reference === undefined) continue;
    references.set(raw, reference);
    rest = join(rest + text.slice(end, match.index), text.slice(match.index + raw.length));
    end = match.index + raw.length + leadingSpace(rest, text, match.index + raw.length);
  }
  if (references.size === 0) return { references: [], rest: text };
  return { references: [...references.values()], rest: (rest + text.slice(end)).trim() };
}

/** A space before a gap goes when the gap is followed by the end, a space or a closing mark. */
function join(before: string, after: string): string {
  return /^(?:[ \t]|\n|[,.;:!?)\]}]|$)/.test(after) ? before.replace(/[ \t]$/, '') : before;
}

/** After a line break or at the very start, the space behind a gap goes too. */
function leadingSpace(before: string, text: string, at: number): number {
  return (before === '' || before.endsWith('\n')) && /[ \t]/.test(text[at] ?? '') ? 1 : 0;
}

const closing: Readonly<Record<string, string>> = { ')': '(', ']': '[', '}': '{' };

/** Marks at the end belong to the sentence; so does a bracket that was not opened inside. */
function withoutPunctuation(raw: string): string {
  let end = raw.length;
  const surplus = new Map(
    Object.entries(closing).map(([close, open]) => [close, count(raw, close) - count(raw, open)]),
  );
  for (; end > 0; end--) {
    const last = raw[end - 1] ?? '';
    if (',.;!?'.includes(last)) continue;
    const left = surplus.get(last) ?? 0;
    if (left <= 0) break;
    surplus.set(last, left - 1);
  }
  return raw.slice(0, end);
}

function count(text: string, letter: string): number {
  return text.split(letter).length - 1;
}

function readReference(raw: string): Reference | undefined {
  if (raw === '@diff') return { kind: 'diff', raw };
  if (raw === '@staged') return { kind: 'staged', raw };
  const [, kind, written = ''] = /^@(file|folder|git|url):(.+)$/su.exec(raw) ?? [];
  if (written === '') return undefined;
  const [, , inner, lines = ''] = /^(["'`])(.+)\1((?::\d{1,9}(?:-\d{1,9})?)?)$/u.exec(written) ?? [];
  const value = inner ?? written;
  if (kind === 'folder') return { kind, raw, path: value };
  if (kind === 'url') return { kind, raw, url: value };
  if (kind === 'git') {
    const wanted = /^\d+$/.test(value) ? Number(value) : Number.NaN;
    return Number.isNaN(wanted) ? undefined : { kind, raw, count: Math.min(10, Math.max(1, wanted)) };
  }
  return kind === 'file' ? fileReference(raw, value, inner === undefined ? undefined : lines) : undefined;
}

/** `lines` stands behind a quoted path; without quotes they are part of `value`. */
function fileReference(raw: string, value: string, lines: string | undefined): Reference {
  const written = lines === undefined ? /^(.+?):(\d{1,9})(?:-(\d{1,9}))?$/su.exec(value) : undefined;
  const behind = /^:(\d+)(?:-(\d+))?$/.exec(lines ?? '');
  const [path = value, from, to] = written?.slice(1) ?? [value, ...(behind?.slice(1) ?? [])];
  if (from === undefined) return { kind: 'file', raw, path };
  return { kind: 'file', raw, path, lines: { from: Number(from), to: Number(to ?? from) } };
}

/** The path as a reference of this kind names it: in quotes where it needs them; `undefined` for one that cannot be named. */
export function writeReference(kind: 'file' | 'folder', path: string): string | undefined {
  const plain = `@${kind}:${path}`;
  const quotes = ['"', "'", '`'].map((quote) => `@${kind}:${quote}${path}${quote}`);
  return [plain, ...quotes].find((written) => {
    const { references, rest } = parseReferences(written);
    const [only] = references;
    return (
      rest === '' &&
      only !== undefined &&
      only.kind === kind &&
      'path' in only &&
      only.path === path &&
      !('lines' in only)
    );
  });
}
