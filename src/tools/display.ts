/** What tools show of themselves to a person, where several show the same. */
import type { ToolOutcome, ToolRendering } from '../agent/tool.ts';

/** What shells mean by an exit code (POSIX: 126 and 127; above 128 the number of a signal). */
const exitWords: Readonly<Record<number, string>> = {
  [-1]: 'it could not be run',
  1: 'failed',
  124: 'timed out',
  126: 'not executable',
  127: 'command not found',
  129: 'hung up',
  130: 'interrupted',
  134: 'aborted',
  137: 'killed',
  139: 'crashed',
  141: 'nobody read its output',
  143: 'terminated',
};

/** `exit 127: command not found` behind a command that ended with another code than 0. */
export function exitNote(_args: unknown, { details }: ToolOutcome): ToolRendering {
  const code = details?.exitCode;
  if (code === undefined || code === 0) return {};
  const words = exitWords[code];
  return { note: words === undefined ? `exit ${code}` : `exit ${code}: ${words}` };
}

/** The diff of what a call changed. */
export function diffBlock(_args: unknown, { details }: ToolOutcome): ToolRendering {
  return details?.diff === undefined || details.diff === '' ? {} : { blocks: [{ type: 'diff', text: details.diff }] };
}

const maxWords = 80;

/** A text in one line of at most 80 characters, without control characters. */
export function firstWords(text: string): string {
  const line = Array.from(text.replace(/[\p{Cc}\s]+/gu, ' ').trim());
  return line.length > maxWords ? `${line.slice(0, maxWords - 1).join('')}…` : line.join('');
}
