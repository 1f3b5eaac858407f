/**
 * Reads a V4A patch: sections for files, hunks within them. Forgiving, and never throws.
 * The format: https://cookbook.openai.com/examples/gpt4-1_prompting_guide#reference-implementation-apply_patchpy
 */

export interface Hunk {
  /** Text after `@@`, naming the place; empty when there is none. */
  readonly hint: string;
  readonly lines: readonly { readonly kind: 'context' | 'remove' | 'add'; readonly text: string }[];
}

export type FileOperation =
  | { readonly kind: 'update'; readonly path: string; readonly hunks: readonly Hunk[] }
  | { readonly kind: 'add'; readonly path: string; readonly content: string }
  | { readonly kind: 'delete'; readonly path: string }
  | { readonly kind: 'move'; readonly path: string; readonly to: string };

interface Section {
  readonly header: RegExpExecArray;
  readonly lines: string[];
}

const header = /^\*\*\*\s*(Update|Add|Delete|Move)\s+File:\s*(.+?)\s*$/i;
const frame = /^\*\*\*\s*(?:Begin|End)\s+Patch\s*$/i;

/** The operations in order, or what is wrong with the patch. */
export function parsePatch(text: string): readonly FileOperation[] | { readonly problem: string } {
  const sections: Section[] = [];
  for (const line of linesOf(text)) {
    if (frame.test(line)) continue;
    const match = header.exec(line);
    if (match !== null) sections.push({ header: match, lines: [] });
    else sections.at(-1)?.lines.push(line);
  }
  if (sections.length === 0) {
    return { problem: 'The patch names no file. Sections begin with "*** Update File: path" (or Add, Delete, Move).' };
  }
  const operations: FileOperation[] = [];
  for (const section of sections) {
    const operation = toOperation(section);
    if ('problem' in operation) return operation;
    operations.push(operation);
  }
  return operations;
}

/** Every path that a patch names, in order and as written, also when the patch cannot be carried out. */
export function patchedPaths(text: string): readonly string[] {
  return linesOf(text).flatMap((line) => {
    const [, kind = '', path = ''] = header.exec(line) ?? [];
    if (path === '') return [];
    return kind.toLowerCase() === 'move' ? movedPaths(path) : [path];
  });
}

function linesOf(text: string): string[] {
  return text.replaceAll('\r\n', '\n').split('\n');
}

/** Old and new path of `old -> new`; fewer when it reads otherwise. */
function movedPaths(named: string): string[] {
  return named.split(/\s+->\s+/).slice(0, 2);
}

function toOperation({ header: match, lines }: Section): FileOperation | { readonly problem: string } {
  const path = match[2] ?? '';
  switch ((match[1] ?? '').toLowerCase()) {
    case 'add':
      return { kind: 'add', path, content: addedContent(lines) };
    case 'delete':
      return { kind: 'delete', path };
    case 'move': {
      const [from = '', to = ''] = movedPaths(path);
      if (from === '' || to === '')
        return { problem: `"*** Move File: ${path}" must read "*** Move File: old -> new".` };
      return { kind: 'move', path: from, to };
    }
    default: {
      const hunks = toHunks(lines);
      if (hunks.length === 0) return { problem: `The section for ${path} has no hunk.` };
      return { kind: 'update', path, hunks };
    }
  }
}

/** Every line of a new file begins with `+`; a line without it is taken as it is. */
function addedContent(lines: readonly string[]): string {
  const content = withoutBlankEnd(lines).map((line) => (line.startsWith('+') ? line.slice(1) : line));
  return content.length === 0 ? '' : `${content.join('\n')}\n`;
}

function toHunks(lines: readonly string[]): Hunk[] {
  const hunks: { hint: string; lines: string[] }[] = [];
  for (const line of withoutBlankEnd(lines)) {
    if (line.startsWith('@@'))
      hunks.push({
        hint: line
          .replace(/^@@\s?/, '')
          .replace(/\s?@@\s*$/, '')
          .trim(),
        lines: [],
      });
    else {
      if (hunks.length === 0) hunks.push({ hint: '', lines: [] });
      hunks.at(-1)?.lines.push(line);
    }
  }
  return hunks
    .map((hunk) => ({
      hint: hunk.hint,
      lines: hunk.lines.filter((line) => !line.startsWith('\\ No newline')).map(toHunkLine),
    }))
    .filter((hunk) => hunk.lines.some((line) => line.kind !== 'context'));
}

function toHunkLine(line: string): Hunk['lines'][number] {
  if (line.startsWith('+')) return { kind: 'add', text: line.slice(1) };
  if (line.startsWith('-')) return { kind: 'remove', text: line.slice(1) };
  return { kind: 'context', text: line.startsWith(' ') ? line.slice(1) : line };
}

/** Blank lines before the next section belong to neither. */
function withoutBlankEnd(lines: readonly string[]): string[] {
  const end = lines.findLastIndex((line) => line.trim() !== '');
  return lines.slice(0, end + 1);
}
