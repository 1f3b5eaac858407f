/** New errors of a file as the model reads them. */
import { stripAnsi } from '../../lib/ansi.ts';
import type { Diagnostic } from './diagnostic.ts';

const maxRows = 20;
const maxMessageChars = 300;
const maxNameChars = 60;
/** Of the report of one file. */
const maxReportChars = 4000;

/** Undefined when there is nothing to tell. Lines and columns are counted from 1 here. */
export function errorReport(path: string, errors: readonly Diagnostic[]): string | undefined {
  if (errors.length === 0) return undefined;
  const head = `<diagnostics file="${escape(oneLine(path)).replaceAll('"', '&quot;')}">`;
  const foot = '</diagnostics>';
  const sorted = [...errors].sort((a, b) => a.line - b.line || a.column - b.column);
  const rows = sorted.slice(0, maxRows).map(row);
  const text = (): string => {
    const more = errors.length - rows.length;
    return [head, ...rows, ...(more > 0 ? [`... and ${more} more`] : []), foot].join('\n');
  };
  while (rows.length > 1 && text().length > maxReportChars) rows.pop();
  return text();
}

function row({ line, column, message, code, source }: Diagnostic): string {
  const parts = [
    `ERROR [${line + 1}:${column + 1}]`,
    escape(cut(oneLine(message), maxMessageChars)),
    ...(code === undefined ? [] : [`[${escape(cut(oneLine(code), maxNameChars))}]`]),
    ...(source === undefined ? [] : [`(${escape(cut(oneLine(source), maxNameChars))})`]),
  ];
  return parts.join(' ');
}

function cut(text: string, limit: number): string {
  return text.length > limit ? `${text.slice(0, limit - 1)}…` : text;
}

function oneLine(text: string): string {
  return stripAnsi(text).replace(/\s+/g, ' ').trim();
}

function escape(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
