/** The filters of `sessions export`, `prune` and `archive`: from flags to what the store selects by. */
import { type Command, InvalidArgumentError } from 'commander';
import { UserError } from '../../lib/errors.ts';
import type { Bounds, SessionSelection } from '../../sessions/session-selection.ts';
import { localTime } from './times.ts';

export interface FilterOptions {
  readonly olderThan?: string;
  readonly newerThan?: string;
  readonly before?: string;
  readonly after?: string;
  readonly source?: string;
  readonly title?: string;
  readonly endReason?: string;
  readonly cwd?: string;
  readonly minMessages?: number;
  readonly maxMessages?: number;
  readonly model?: string;
  readonly provider?: string;
  readonly user?: string;
  readonly chatId?: string;
  readonly chatType?: string;
  readonly branch?: string;
  readonly minTokens?: number;
  readonly maxTokens?: number;
  readonly minCost?: number;
  readonly maxCost?: number;
  readonly minToolCalls?: number;
  readonly maxToolCalls?: number;
}

export function addFilters(command: Command): Command {
  return command
    .option('--older-than <age>', 'begun longer ago: 30m, 5h, 2d, 1w, a number of days')
    .option('--newer-than <age>', 'begun since then')
    .option('--before <time>', 'begun before an ISO time or an age')
    .option('--after <time>', 'begun at that time or later')
    .option('--source <source>', 'from one surface (cli, telegram, …)')
    .option('--title <text>', 'with this in the title')
    .option('--end-reason <reason>', 'that ended so')
    .option('--cwd <path>', 'of this folder, or one below it')
    .option('--min-messages <n>', 'with so many messages or more', whole)
    .option('--max-messages <n>', 'with so many messages or fewer', whole)
    .option('--model <text>', 'with this in the name of the model')
    .option('--provider <id>', 'of this provider')
    .option('--user <id>', 'of this person')
    .option('--chat-id <id>', 'of this chat')
    .option('--chat-type <type>', 'of chats of this type')
    .option('--branch <text>', 'with this in the name of the git branch')
    .option('--min-tokens <n>', 'with so many tokens or more', whole)
    .option('--max-tokens <n>', 'with so many tokens or fewer', whole)
    .option('--min-cost <usd>', 'that cost so much or more', decimal)
    .option('--max-cost <usd>', 'that cost so much or less', decimal)
    .option('--min-tool-calls <n>', 'with so many tool calls or more', whole)
    .option('--max-tool-calls <n>', 'with so many tool calls or fewer', whole);
}

export interface ReadSelection {
  readonly selection: SessionSelection;
  /** The filters in words; empty when there are none. */
  readonly words: readonly string[];
}

/** Throws a usage error for times that mean nothing, and for a window in which nothing can be. `now` in Unix seconds. */
export function readSelection(options: FilterOptions, now: number): ReadSelection {
  const before = bound('before', [options.before, options.olderThan], now, Math.min);
  const from = bound('after', [options.after, options.newerThan], now, Math.max);
  if (before !== undefined && from !== undefined && from >= before) {
    throw new UserError(
      `Empty time window: it begins (${localTime(from)}) when it has ended already (${localTime(before)}).`,
      { exitCode: 2, hint: '--after and --newer-than say where it begins, --before and --older-than where it ends.' },
    );
  }
  const bounds: [string, string, Bounds | undefined][] = [
    ['messages', 'messages', between(options.minMessages, options.maxMessages)],
    ['tokens', 'tokens', between(options.minTokens, options.maxTokens)],
    ['cost', 'dollars', between(options.minCost, options.maxCost)],
    ['toolCalls', 'tool calls', between(options.minToolCalls, options.maxToolCalls)],
  ];
  const texts: [string, string, string | undefined][] = [
    ['source', 'source', options.source],
    ['title', 'title has', options.title],
    ['endReason', 'ended by', options.endReason],
    ['cwd', 'folder', options.cwd],
    ['model', 'model has', options.model],
    ['provider', 'provider', options.provider],
    ['userId', 'person', options.user],
    ['chatId', 'chat', options.chatId],
    ['chatType', 'chat type', options.chatType],
    ['branch', 'branch has', options.branch],
  ];
  const given = texts.filter(([, , value]) => value !== undefined);
  const bounded = bounds.filter(([, , value]) => value !== undefined);
  return {
    selection: {
      ...(from === undefined ? {} : { startedFrom: from }),
      ...(before === undefined ? {} : { startedBefore: before }),
      ...Object.fromEntries([...given, ...bounded].map(([key, , value]) => [key, value])),
    },
    words: [
      ...(from === undefined ? [] : [`started after ${localTime(from)}`]),
      ...(before === undefined ? [] : [`started before ${localTime(before)}`]),
      ...given.map(([, name, value]) => `${name} '${value}'`),
      ...bounded.map(([, name, value]) => `${range(value)} ${name}`),
    ],
  };
}

function bound(
  name: string,
  written: readonly (string | undefined)[],
  now: number,
  tighter: (...times: number[]) => number,
): number | undefined {
  const times = written.flatMap((text) => (text === undefined ? [] : [timeOf(name, text, now)]));
  return times.length === 0 ? undefined : tighter(...times);
}

const unitSeconds: readonly (readonly [RegExp, number])[] = [
  [/^(?:s|secs?|seconds?)$/, 1],
  [/^(?:m|mins?|minutes?)$/, 60],
  [/^(?:h|hrs?|hours?)$/, 3600],
  [/^(?:|d|days?)$/, 86_400],
  [/^(?:w|weeks?)$/, 7 * 86_400],
];

/** Unix seconds: an age before `now`, or an ISO time, local unless it says otherwise. */
function timeOf(name: string, text: string, now: number): number {
  const [, amount, unit] = /^(\d+(?:\.\d+)?)\s*([a-z]*)$/i.exec(text.trim()) ?? [];
  const seconds = unitSeconds.find(([pattern]) => pattern.test((unit ?? '?').toLowerCase()))?.[1];
  if (amount !== undefined && seconds !== undefined) return now - Number(amount) * seconds;
  if (/^\d{4}-\d{2}-\d{2}/.test(text.trim())) {
    // A date alone would be read as UTC.
    const written = text.trim().replace(' ', 'T');
    const time = Date.parse(/^\d{4}-\d{2}-\d{2}$/.test(written) ? `${written}T00:00` : written);
    if (!Number.isNaN(time)) return time / 1000;
  }
  throw new UserError(`'${text}' is no time for --${name} or its like.`, {
    exitCode: 2,
    hint: "Write an age such as 30m, 5h, 2d or 1w, a number of days, or an ISO time such as '2026-07-05 14:30'.",
  });
}

function between(min: number | undefined, max: number | undefined): Bounds | undefined {
  if (min === undefined && max === undefined) return undefined;
  return { ...(min === undefined ? {} : { min }), ...(max === undefined ? {} : { max }) };
}

function range(bounds: Bounds | undefined): string {
  const { min, max } = bounds ?? {};
  if (max === undefined) return `${min} or more`;
  return min === undefined ? `at most ${max}` : `${min} to ${max}`;
}

export function whole(value: string): number {
  if (/^\d{1,12}$/.test(value)) return Number(value);
  throw new InvalidArgumentError('It must be a whole number, 0 or more.');
}

function decimal(value: string): number {
  if (/^\d{1,12}(?:\.\d+)?$/.test(value)) return Number(value);
  throw new InvalidArgumentError('It must be a number, 0 or more.');
}
