/** The line under the conversation: model, context, cost, times, folder. */
import { visibleWidth } from '@earendil-works/pi-tui';
import { formatDuration } from '../chat/exit-summary.ts';
import type { Colors } from '../render/colors.ts';
import { oneLine } from '../render/terminal-text.ts';

export interface StatusFacts {
  readonly model: string;
  /** Prompt tokens of the latest request. */
  readonly contextTokens: number | undefined;
  readonly contextLength: number | undefined;
  readonly durationMs: number;
  /** Processes that run in the background. */
  readonly backgroundCount: number;
  /** Background tasks, and sub-agents, that are at work; default: none. */
  readonly tasks?: number;
  readonly subAgents?: number;
  /** How often the conversation was shortened; default: never. */
  readonly compressions?: number;
  /** Since the last answer; undefined before the first, and while a turn runs. */
  readonly sinceAnswerMs?: number | undefined;
  readonly yolo: boolean;
  /** Dollars of the session, undefined when no price is known, and the most it may cost; undefined = not shown. */
  readonly cost?: { readonly usd: number | undefined; readonly limit: number | undefined } | undefined;
  /** Of the turn that runs, or of the last one. */
  readonly turn?: { readonly ms: number; readonly running: boolean } | undefined;
  /** Messages that wait for their turn. */
  readonly waiting?: number;
  /** Folder that commands start from. */
  readonly folder?: string;
  readonly branch?: string | undefined;
}

/**
 * Full at 76 columns and more, as far as there is room: the folder goes first, then the time since the answer, the last
 * turn's time, the bar, the cost. Model, percent, what waits and time from 52; model and time below.
 */
export function statusBar(facts: StatusFacts, width: number, colors: Colors): string {
  const model = oneLine(shortModelName(facts.model), 26);
  const yolo = facts.yolo ? [colors.red('⚠ YOLO')] : [];
  const duration = sessionTime(facts.durationMs);
  const share = contextShare(facts);
  const waiting = (facts.waiting ?? 0) > 0 ? [colors.yellow(`⧗ ${facts.waiting} waiting`)] : [];
  const background = atWork([
    ['▶', facts.tasks],
    ['⚙', facts.backgroundCount],
    ['⛓', facts.subAgents],
  ]);
  const counters = [...compressions(facts, colors), ...background, ...waiting];
  if (width < 52) return join([model, duration, ...yolo], narrow, colors);
  if (width < 76) {
    const used = share === undefined ? 'ctx --' : percent(share, colors);
    return join([model, used, ...counters, duration, ...yolo], narrow, colors);
  }
  const whole = (left: ReadonlySet<Droppable>): string =>
    join(
      [
        `⚕ ${model}`,
        ...context(facts, share, left.has('bar'), colors),
        ...(left.has('cost') ? cost(facts, colors) : []),
        ...counters,
        ...(left.has('turn') ? turn(facts) : []),
        ...(left.has('answer') ? sinceAnswer(facts) : []),
        duration,
        ...(left.has('folder') ? folder(facts, colors) : []),
        ...yolo,
      ],
      wide,
      colors,
    );
  const left = new Set(droppable);
  for (const part of droppable) {
    if (visibleWidth(whole(left)) <= width) break;
    left.delete(part);
  }
  return whole(left);
}

/** A mark and a number for each kind that there is. */
function atWork(kinds: readonly (readonly [mark: string, count: number | undefined])[]): string[] {
  return kinds.flatMap(([mark, count = 0]) => (count > 0 ? [`${mark} ${count}`] : []));
}

/** What a line that is too narrow goes without, in this order. */
const droppable = ['folder', 'answer', 'turn', 'bar', 'cost'] as const;
type Droppable = (typeof droppable)[number];

function context(facts: StatusFacts, share: number | undefined, withBar: boolean, colors: Colors): string[] {
  if (share === undefined)
    return [`ctx ${facts.contextTokens === undefined ? '--' : compactCount(facts.contextTokens)}`];
  return [
    `${compactCount(facts.contextTokens ?? 0)}/${compactCount(facts.contextLength ?? 0)}`,
    withBar ? `${bar(share, colors)} ${percent(share, colors)}` : percent(share, colors),
  ];
}

function cost({ cost }: StatusFacts, colors: Colors): string[] {
  if (cost === undefined) return [];
  if (cost.usd === undefined) return ['n/a'];
  if (cost.limit === undefined) return [dollars(cost.usd)];
  return [shareColor(cost.usd / cost.limit, colors)(`${dollars(cost.usd)}/${dollars(cost.limit)}`)];
}

/** `$0.0042`, `$0.06`, `$12.00` */
export function dollars(usd: number): string {
  return `$${usd.toFixed(usd > 0 && usd < 0.01 ? 4 : 2)}`;
}

function turn({ turn }: StatusFacts): string[] {
  return turn === undefined ? [] : [`${turn.running ? '⏱' : '⏲'} ${formatDuration(turn.ms)}`];
}

function sinceAnswer({ sinceAnswerMs }: StatusFacts): string[] {
  return sinceAnswerMs === undefined ? [] : [`✓ ${sessionTime(sinceAnswerMs)}`];
}

/** Each costs the conversation details: many are a reason to begin a new one. */
function compressions({ compressions = 0 }: StatusFacts, colors: Colors): string[] {
  if (compressions === 0) return [];
  const text = `🗜️ ${compressions}`;
  if (compressions < 5) return [text];
  return [compressions < 10 ? colors.yellow(text) : colors.orange(text)];
}

function folder({ folder, branch }: StatusFacts, colors: Colors): string[] {
  if (folder === undefined) return [];
  const name = oneLine(folder, 200);
  const short = name.length > 30 ? `…${name.slice(-29)}` : name;
  return [colors.dim(branch === undefined ? short : `${short} (${oneLine(branch, 24)})`)];
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

const wide = ' │ ';
const narrow = ' · ';

function join(parts: readonly string[], between: string, colors: Colors): string {
  return ` ${parts.join(colors.dim(between))}`;
}
