/** The line under the conversation: model, context, time. */
import { formatDuration } from '../chat/exit-summary.ts';
import type { Colors } from '../render/colors.ts';
import { oneLine } from '../render/terminal-text.ts';

export interface StatusFacts {
  readonly model: string;
  /** Prompt tokens of the latest request. */
  readonly contextTokens: number | undefined;
  readonly contextLength: number | undefined;
  readonly durationMs: number;
  readonly backgroundCount: number;
  readonly yolo: boolean;
}

/** Full at 76 columns and more; model, percent and time from 52; model and time below. */
export function statusBar(facts: StatusFacts, width: number, colors: Colors): string {
  const model = oneLine(shortModelName(facts.model), 26);
  const yolo = facts.yolo ? [colors.red('⚠ YOLO')] : [];
  const duration = sessionTime(facts.durationMs);
  const share = contextShare(facts);
  if (width < 52) return join([model, duration, ...yolo], colors);
  if (width < 76)
    return join([model, share === undefined ? 'ctx --' : percent(share, colors), duration, ...yolo], colors);
  const context =
    share === undefined
      ? [`ctx ${facts.contextTokens === undefined ? '--' : compactCount(facts.contextTokens)}`]
      : [
          `${compactCount(facts.contextTokens ?? 0)}/${compactCount(facts.contextLength ?? 0)}`,
          `${bar(share, colors)} ${percent(share, colors)}`,
        ];
  const background = facts.backgroundCount > 0 ? [`▶ ${facts.backgroundCount}`] : [];
  return join([`⚕ ${model}`, ...context, ...background, duration, ...yolo], colors);
}

/** `8s`, `15m`, `2h 5m`: no seconds after the first minute, so that the line is seldom drawn anew. */
function sessionTime(ms: number): string {
  return ms < 3_600_000 ? formatDuration(ms).replace(/ \d+s$/, '') : formatDuration(ms);
}

/** After the last slash, without a model file's ending. */
export function shortModelName(model: string): string {
  return (model.split('/').at(-1) ?? model).replace(/\.gguf$/i, '');
}

/** `950`, `12.4K`, `1.2M` */
export function compactCount(count: number): string {
  if (count < 1000) return String(count);
  const [value, unit] = count < 999_950 ? [count / 1000, 'K'] : [count / 1_000_000, 'M'];
  return `${value.toFixed(1).replace(/\.0$/, '')}${unit}`;
}

function contextShare({ contextTokens, contextLength }: StatusFacts): number | undefined {
  if (contextTokens === undefined || contextLength === undefined || contextLength <= 0) return undefined;
  return Math.min(1, contextTokens / contextLength);
}

function shareColor(share: number, colors: Colors): (text: string) => string {
  if (share < 0.5) return colors.green;
  if (share < 0.8) return colors.yellow;
  return share < 0.95 ? colors.orange : colors.red;
}

function percent(share: number, colors: Colors): string {
  return shareColor(share, colors)(`${Math.round(share * 100)}%`);
}

function bar(share: number, colors: Colors): string {
  const filled = Math.round(share * 10);
  return `[${shareColor(share, colors)('█'.repeat(filled))}${'░'.repeat(10 - filled)}]`;
}

function join(parts: readonly string[], colors: Colors): string {
  return ` ${parts.join(colors.dim(' │ '))}`;
}
