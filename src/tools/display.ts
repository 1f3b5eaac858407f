/** What tools show of themselves to a person, where several show the same. */
import type { ToolOutcome, ToolRendering } from '../agent/tool.ts';

/** `exit 3` behind a command that ended with another code than 0. */
export function exitNote(_args: unknown, { details }: ToolOutcome): ToolRendering {
  const code = details?.exitCode;
  return code === undefined || code === 0 ? {} : { note: `exit ${code}` };
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
