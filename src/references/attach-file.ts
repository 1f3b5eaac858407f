/** `@file:`: the text of one file, whole or some lines of it. */
import type { LineRange } from './parse.ts';
import { fenced, isBinary, languageOf } from './content.ts';
import { findPath, type Workspace } from './workspace.ts';

/** A text to attach, or why there is none. */
export type Attachment = { readonly body: string } | { readonly problem: string };

/** More than this is not read at all. */
const maxBytes = 8 * 1024 * 1024;

/** Lines that do not exist mean the whole file. */
export async function attachFile(
  path: string,
  lines: LineRange | undefined,
  workspace: Workspace,
  signal: AbortSignal,
): Promise<Attachment> {
  const target = await findPath(path, workspace);
  if ('refusal' in target) return { problem: target.refusal };
  const found = await workspace.files.stat(target.path);
  if (found === undefined) return { problem: 'file not found' };
  if (found.kind !== 'file') return { problem: 'not a file' };
  if (found.size > maxBytes) return { problem: 'the file is larger than 8 MiB' };
  const bytes = await workspace.files.read(target.path, signal);
  if (isBinary(target.path, bytes)) return { problem: 'binary files cannot be attached' };
  const text = new TextDecoder().decode(bytes);
  return { body: fenced(languageOf(path), lines === undefined ? text : cut(text, lines)) };
}

function cut(text: string, { from, to }: LineRange): string {
  const lines = text.replace(/\n$/, '').split('\n');
  if (from < 1 || to < from || from > lines.length) return text;
  return lines.slice(from - 1, to).join('\n');
}
