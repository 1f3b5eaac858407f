/** One line for a tool call, and the diff of an edit under it. */
import type { AgentEvent } from '../../agent/events.ts';
import { isJsonObject, parseJson } from '../../lib/json.ts';
import type { Colors } from './colors.ts';
import { oneLine, terminalText } from './terminal-text.ts';

export type ToolProgressMode = 'off' | 'new' | 'all' | 'verbose';

type Started = Extract<AgentEvent, { type: 'tool_started' }>;
type Finished = Extract<AgentEvent, { type: 'tool_finished' }>;

/** `┊ 💻 terminal  ls -la` */
export function runningToolLine(call: Started, previewChars: number, colors: Colors): string {
  const preview = oneLine(call.preview, previewChars > 0 ? previewChars : 300);
  return `  ${colors.dim('┊')} ${call.emoji} ${call.name}${preview === '' ? '' : `  ${colors.dim(preview)}`}`;
}

/** The same with its duration, and a mark when it went wrong. */
export function finishedToolLine(call: Started, result: Finished, previewChars: number, colors: Colors): string {
  const line = runningToolLine(call, previewChars, colors);
  const took = colors.dim(`(${(result.durationMs / 1000).toFixed(1)}s)`);
  const mark = failureMark(result);
  return `${line} ${took}${mark === '' ? '' : ` ${colors.red(mark)}`}`;
}

function failureMark({ outcome, result }: Finished): string {
  switch (outcome) {
    case 'ok':
      return '';
    case 'refused':
      return '[refused]';
    case 'cancelled':
      return '[cancelled]';
    case 'error': {
      const value = parseJson(result);
      const exitCode = isJsonObject(value) ? value['exit_code'] : undefined;
      return typeof exitCode === 'number' && exitCode !== 0 ? `[exit ${exitCode}]` : '[error]';
    }
  }
}

const maxDiffLines = 40;

/** The coloured diff that an edit reports, cut to a screenful; nothing for other results. */
export function diffLines({ name, result }: Finished, colors: Colors): string[] {
  if (name !== 'patch' && name !== 'write_file') return [];
  const value = parseJson(result);
  const diff = isJsonObject(value) ? value['diff'] : undefined;
  if (typeof diff !== 'string' || diff === '') return [];
  const lines = terminalText(diff).replace(/\n$/, '').split('\n');
  const shown = lines.slice(0, maxDiffLines).map((line) => `    ${diffColor(line, colors)}`);
  if (lines.length > maxDiffLines) shown.push(colors.dim(`    … ${lines.length - maxDiffLines} more lines`));
  return shown;
}

function diffColor(line: string, colors: Colors): string {
  if (line.startsWith('+++') || line.startsWith('---')) return colors.dim(line);
  if (line.startsWith('+')) return colors.green(line);
  if (line.startsWith('-')) return colors.red(line);
  return line.startsWith('@@') ? colors.cyan(line) : colors.dim(line);
}

const maxVerboseLines = 30;

/** Arguments and result for the `verbose` mode. */
export function verboseLines(call: Started, finished: Finished, colors: Colors): string[] {
  const text = terminalText(`${JSON.stringify(call.args)}\n${finished.result}`).split('\n');
  const shown = text.slice(0, maxVerboseLines).map((line) => colors.dim(`    ${line.slice(0, 2000)}`));
  if (text.length > maxVerboseLines) shown.push(colors.dim(`    … ${text.length - maxVerboseLines} more lines`));
  return shown;
}
