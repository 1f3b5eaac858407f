/** From what a program printed to what a model may read. */
import { truncateMiddle } from '../../environments/bounded-output.ts';
import type { RunResult } from '../../environments/environment.ts';
import { stripAnsi } from '../../lib/ansi.ts';
import type { ToolServices } from '../services.ts';

type Redactor = Pick<ToolServices, 'redact'>;

/** Plain text with plain line ends (a terminal sends CR LF) and masked secrets. */
export function cleanText(text: string, redactor: Redactor): string {
  return redactor.redact(stripAnsi(text).replaceAll('\r\n', '\n'));
}

/** The output of a finished command: cut, then without control sequences, trimmed, secrets masked; in this order. */
export function cleanOutput(
  result: Pick<RunResult, 'output' | 'totalChars'>,
  maxChars: number,
  redactor: Redactor,
): string {
  // The environment has cut it already, and says so inside the text.
  const cut = result.totalChars > result.output.length && result.output.length <= maxChars + noticeRoom;
  const text = cut ? result.output : truncateMiddle(result.output, maxChars);
  return redactor.redact(stripAnsi(text).trim());
}

const noticeRoom = 200;
