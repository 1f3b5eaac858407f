/** One line for a tool call, and what it shows below. */
import type { AgentEvent } from '../../agent/events.ts';
import type { Colors } from './colors.ts';
import { diffLines } from './diff-lines.ts';
import { oneLine, terminalText } from './terminal-text.ts';
import { argumentLines, resultLines } from './tool-output.ts';
import { counted } from '../../lib/counted.ts';

export type ToolProgressMode = 'off' | 'new' | 'all' | 'verbose';

type Started = Extract<AgentEvent, { type: 'tool_started' }>;
type Finished = Extract<AgentEvent, { type: 'tool_finished' }>;

/** `┊ 💻 terminal  ls -la` */
export function runningToolLine(call: Started, previewChars: number, colors: Colors, prefix = '┊'): string {
  const preview = oneLine(call.preview, previewChars > 0 ? previewChars : 300);
  return `  ${colors.dim(prefix)} ${call.emoji} ${call.name}${preview === '' ? '' : `  ${colors.dim(preview)}`}`;
}

/** The same with its duration, what the tool notes of it, and a mark when it went wrong. */
export function finishedToolLine(
  call: Started,
  result: Finished,
  previewChars: number,
  colors: Colors,
  prefix = '┊',
): string {
  const line = runningToolLine(call, previewChars, colors, prefix);
  const took = colors.dim(`(${(result.durationMs / 1000).toFixed(1)}s)`);
  const paint = result.outcome === 'ok' ? colors.dim : colors.red;
  const mark = markOf(result);
  return `${line} ${took}${mark === undefined ? '' : ` ${paint(`[${oneLine(mark, 80)}]`)}`}`;
}

function markOf({ outcome, rendering }: Finished): string | undefined {
  if (outcome === 'ok') return rendering.note;
  return outcome === 'error' ? (rendering.note ?? outcome) : outcome;
}

/** Lines below a call that stand there unasked, and how many are hidden. */
export interface Below {
  readonly lines: readonly string[];
  readonly hidden: number;
}

const maxBlockLines = 40;
const maxPreviewLines = 5;
const maxVerboseLines = 30;
const maxLineChars = 2000;
/** Of what is opened by hand. */
const maxOpenLines = 3000;

/** What a call shows below its line: its diff, the end of what a command printed, or what went wrong. */
export function linesBelow(call: Started, finished: Finished, style: BelowStyle): Below {
  const { verbose = false } = style;
  const blocks = style.diffs === false && !verbose ? [] : blockLines(finished, style);
  if (verbose)
    return folded([...blocks, ...argumentLines(call.args), ...said(finished, style)], maxVerboseLines, style);
  if (blocks.length > 0) return folded(blocks, maxBlockLines, style);
  const tells = finished.outcome === 'error' || finished.details.exitCode !== undefined;
  if (!tells) return { lines: [], hidden: 0 };
  return folded(said(finished, style), maxPreviewLines, style, 'end');
}

/** Everything there is to see of a call: what it was given, what it changed, what it answered. */
export function wholeLines(call: Started, finished: Finished, style: BelowStyle): string[] {
  const lines = [...argumentLines(call.args), ...blockLines(finished, style), ...said(finished, style)];
  return [...folded(lines, maxOpenLines, { colors: style.colors }).lines];
}

export interface BelowStyle {
  readonly colors: Colors;
  /** Where paths are shown from. */
  readonly cwd?: string;
  /** With arguments and result, for the `verbose` mode. */
  readonly verbose?: boolean;
  /** False: what an edit changed is only seen when it is opened. */
  readonly diffs?: boolean;
  /** The key that opens what is hidden. */
  readonly openKey?: string;
}

/** What a call shows below its line on surfaces without folding, cut to a screenful. */
export function cutBlockLines(finished: Finished, style: BelowStyle): readonly string[] {
  return folded(blockLines(finished, style), maxBlockLines, style).lines;
}

function blockLines({ rendering }: Finished, { colors, cwd }: BelowStyle): string[] {
  return (rendering.blocks ?? []).flatMap(({ type, text }) => {
    if (text === '') return [];
    if (type === 'diff') return diffLines(text, colors, cwd);
    return terminalText(text)
      .replace(/\n$/, '')
      .split('\n')
      .map((line) => colors.dim(line));
  });
}

function said(finished: Finished, { colors }: BelowStyle): string[] {
  const paint = finished.outcome === 'error' && finished.details.exitCode === undefined ? colors.red : colors.dim;
  return resultLines(finished.result).map((line) => paint(line.slice(0, maxLineChars)));
}

function folded(lines: readonly string[], max: number, style: BelowStyle, keep: 'start' | 'end' = 'start'): Below {
  const indented = lines.map((line) => `    ${line}`);
  const hidden = Math.max(0, indented.length - max);
  if (hidden === 0) return { lines: indented, hidden };
  const open = style.openKey === undefined ? '' : ` · ${style.openKey} opens them`;
  const note = style.colors.dim(`    … ${counted(hidden, 'more line')}${open}`);
  return keep === 'start'
    ? { lines: [...indented.slice(0, max), note], hidden }
    : { lines: [note, ...indented.slice(-max)], hidden };
}

/** The last lines of what a running call has printed. */
export function tailLines(text: string, colors: Colors): string[] {
  const lines = terminalText(text).trimEnd().split('\n').slice(-maxPreviewLines);
  return lines.filter((line) => line !== '').map((line) => colors.dim(`    ${line.slice(0, maxLineChars)}`));
}
