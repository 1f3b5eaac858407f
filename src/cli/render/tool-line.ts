/** One line for a tool call, and what it shows below. */
import type { AgentEvent } from '../../agent/events.ts';
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

/** The same with its duration, what the tool notes of it, and a mark when it went wrong. */
export function finishedToolLine(call: Started, result: Finished, previewChars: number, colors: Colors): string {
  const line = runningToolLine(call, previewChars, colors);
  const took = colors.dim(`(${(result.durationMs / 1000).toFixed(1)}s)`);
  const paint = result.outcome === 'ok' ? colors.dim : colors.red;
  const mark = markOf(result);
  return `${line} ${took}${mark === undefined ? '' : ` ${paint(`[${oneLine(mark, 80)}]`)}`}`;
}

function markOf({ outcome, rendering }: Finished): string | undefined {
  if (outcome === 'ok') return rendering.note;
  return outcome === 'error' ? (rendering.note ?? outcome) : outcome;
}

const maxBlockLines = 40;

/** What a call shows below its line, cut to a screenful: the coloured diff of an edit, say. */
export function blockLines({ rendering }: Finished, colors: Colors): string[] {
  return (rendering.blocks ?? []).flatMap(({ type, text }) => {
    if (text === '') return [];
    const paint = type === 'diff' ? diffColor : (line: string) => colors.dim(line);
    return cutLines(terminalText(text).replace(/\n$/, ''), maxBlockLines, (line) => paint(line, colors), colors);
  });
}

function cutLines(text: string, max: number, paint: (line: string) => string, colors: Colors): string[] {
  const lines = text.split('\n');
  const shown = lines.slice(0, max).map((line) => `    ${paint(line)}`);
  return lines.length > max ? [...shown, colors.dim(`    … ${lines.length - max} more lines`)] : shown;
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
  const text = terminalText(`${JSON.stringify(call.args)}\n${finished.result}`);
  return cutLines(text, maxVerboseLines, (line) => colors.dim(line.slice(0, 2000)), colors);
}
