/** The figures of `insights` as text: tokens, money, tools, and when and where they were used. */
import { escapeForDisplay } from '../../safety/display.ts';
import type { NotableSession, UsageAmounts, UsageReport } from '../../sessions/usage-log.ts';

/** Plain text, for a terminal and for chats. */
export function usageReportText(report: UsageReport, days: number): string {
  const total = sum(report.models);
  if (total.calls === 0 && report.messages === 0) return `Nothing was used in the last ${days} days.`;
  const sections = [
    [
      `Overview (last ${days} days)`,
      `  Sessions: ${count(report.sessions)}, questions: ${count(report.questions)}, messages: ${count(report.messages)}`,
      `  Requests: ${count(total.calls)}`,
      `  Tokens:   ${count(promptOf(total))} in (${cachedShare(total)}% from the cache), ${count(total.output)} out`,
      `  Cost:     ${money(total)}`,
    ],
    table('Models Used', report.models, ({ model, provider }) => (provider === '' ? model : `${model} (${provider})`)),
    block(
      'Platforms',
      report.platforms.map(
        ({ name, sessions, messages }) => `${show(name)}: ${count(sessions)} sessions, ${count(messages)} messages`,
      ),
    ),
    block(
      'Top Tools',
      report.tools.map(({ name, uses }) => `${show(name)}: ${count(uses)}`),
    ),
    block('Activity Patterns', patternsOf(report)),
    table('Days', report.days.slice(0, 14), ({ day }) => day),
    block('Notable Sessions', report.notable.map(notableLine)),
  ];
  return sections
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.join('\n'))
    .join('\n\n');
}

function block(title: string, lines: readonly string[]): string[] {
  return lines.length === 0 ? [] : [title, ...lines.map((line) => `  ${line}`)];
}

const WEEKDAYS = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'];
const MOST_HOURS = 3;

/** Questions by day of the week, and the hours with the most of them. */
function patternsOf({ weekdays, hours }: UsageReport): string[] {
  if (hours.length === 0) return [];
  const on = new Map(weekdays.map(({ day, questions }) => [day, questions]));
  // Weeks begin with Monday.
  const days = WEEKDAYS.map((_name, index) => (index + 1) % 7).map(
    (day) => `${WEEKDAYS[day]} ${count(on.get(day) ?? 0)}`,
  );
  const busiest = hours.slice(0, MOST_HOURS).map(({ hour, questions }) => `${clock(hour)} (${count(questions)})`);
  return [`Questions: ${days.join(', ')}`, `Busiest hours: ${busiest.join(', ')}`];
}

function clock(hour: number): string {
  return `${String(hour).padStart(2, '0')}:00`;
}

const MOST: Readonly<Record<NotableSession['most'], (value: number) => string>> = {
  seconds: (value) => `Longest: ${durationText(value)}`,
  messages: (value) => `Most messages: ${count(value)}`,
  tools: (value) => `Most tool calls: ${count(value)}`,
  tokens: (value) => `Most tokens: ${count(value)}`,
};

function notableLine({ most, id, title, value }: NotableSession): string {
  return `${MOST[most](value)}, ${id}${title === '' ? '' : ` (${show(title)})`}`;
}

function durationText(seconds: number): string {
  if (seconds < 60) return `${Math.round(seconds)} s`;
  const minutes = Math.round(seconds / 60);
  return minutes < 60 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

function table<Row extends UsageAmounts>(title: string, rows: readonly Row[], name: (row: Row) => string): string[] {
  if (rows.length === 0) return [];
  const line = (row: Row): string =>
    `  ${show(name(row))}: ${count(row.calls)} requests, ${count(promptOf(row))} in, ${count(row.output)} out, ${money(row)}`;
  return [title, ...rows.map(line)];
}

function sum(rows: readonly UsageAmounts[]): UsageAmounts {
  const priced = rows.filter(({ usd }) => usd !== null);
  const add = (pick: (row: UsageAmounts) => number) => rows.reduce((total, row) => total + pick(row), 0);
  return {
    calls: add((row) => row.calls),
    input: add((row) => row.input),
    output: add((row) => row.output),
    cacheRead: add((row) => row.cacheRead),
    cacheWrite: add((row) => row.cacheWrite),
    usd: priced.length === 0 ? null : add((row) => row.usd ?? 0),
    unpriced: add((row) => row.unpriced),
  };
}

function promptOf({ input, cacheRead, cacheWrite }: UsageAmounts): number {
  return input + cacheRead + cacheWrite;
}

function cachedShare(row: UsageAmounts): number {
  const prompt = promptOf(row);
  return prompt === 0 ? 0 : Math.round((100 * row.cacheRead) / prompt);
}

function money({ usd, unpriced }: UsageAmounts): string {
  if (usd === null) return 'price unknown';
  const amount = `$${usd.toFixed(usd > 0 && usd < 0.1 ? 4 : 2)}`;
  return unpriced === 0 ? amount : `${amount} (and ${count(unpriced)} requests without a known price)`;
}

function show(text: string): string {
  return escapeForDisplay(text, { singleLine: true });
}

function count(value: number): string {
  return value.toLocaleString('en-US');
}
