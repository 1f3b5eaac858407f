/** Makes the hunks of one file in its whole text. */
import { replaceText } from '../replace-text.ts';
import type { Hunk } from './parse-patch.ts';

/** Where a hunk is looked for again when its text occurs more than once: around its hint, in characters. */
const window = { before: 500, after: 2000 };

/** The changed text, or which hunk has no place. All hunks fit, or none is made. */
export function applyHunks(text: string, hunks: readonly Hunk[]): string | { readonly problem: string } {
  let current = text;
  for (const [index, hunk] of hunks.entries()) {
    const changed = applyHunk(current, hunk);
    if (typeof changed !== 'string') return { problem: `hunk ${index + 1}: ${changed.problem}` };
    current = changed;
  }
  return current;
}

function applyHunk(text: string, hunk: Hunk): string | { readonly problem: string } {
  const before = hunk.lines.filter((line) => line.kind !== 'add').map((line) => line.text);
  const after = hunk.lines.filter((line) => line.kind !== 'remove').map((line) => line.text);
  if (before.length === 0) return insert(text, hunk.hint, after.join('\n'));
  return (
    replaceIn(text, before.join('\n'), after.join('\n')) ??
    replaceNearHint(text, hunk.hint, before.join('\n'), after.join('\n')) ?? {
      problem: `its lines were not found, or not only once${hunk.hint === '' ? '' : ` (hint: ${hunk.hint})`}.`,
    }
  );
}

/** `undefined` when the text has no place or several. Lines taken out whole take their line end along. */
function replaceIn(text: string, before: string, after: string): string | undefined {
  if (after === '' && before !== '') {
    const whole = replaceText(text, `${before}\n`, '', false);
    if (whole.kind === 'replaced') return whole.text;
  }
  const replaced = replaceText(text, before, after, false);
  if (replaced.kind === 'unchanged') return text;
  return replaced.kind === 'replaced' ? replaced.text : undefined;
}

function replaceNearHint(text: string, hint: string, before: string, after: string): string | undefined {
  const at = hint === '' ? -1 : text.indexOf(hint);
  if (at === -1) return undefined;
  const start = text.lastIndexOf('\n', Math.max(0, at - window.before)) + 1;
  const lineEnd = text.indexOf('\n', at + window.after);
  const end = lineEnd === -1 ? text.length : lineEnd;
  const changed = replaceIn(text.slice(start, end), before, after);
  return changed === undefined ? undefined : text.slice(0, start) + changed + text.slice(end);
}

/** New lines go after the line of the hint, or to the end of the file. */
function insert(text: string, hint: string, added: string): string | { readonly problem: string } {
  const newline = text.includes('\r\n') ? '\r\n' : '\n';
  const lines = added.replaceAll('\n', newline);
  if (hint === '') return `${text}${text === '' || text.endsWith('\n') ? '' : newline}${lines}${newline}`;
  const at = text.indexOf(hint);
  if (at === -1) return { problem: `the line "${hint}" to insert after was not found.` };
  const lineEnd = text.indexOf('\n', at);
  if (lineEnd === -1) return `${text}${newline}${lines}${newline}`;
  return `${text.slice(0, lineEnd + 1)}${lines}${newline}${text.slice(lineEnd + 1)}`;
}
