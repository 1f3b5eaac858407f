/** The figures of `insights` as text: tokens, money, tools and days. */
import { escapeForDisplay } from '../../safety/display.ts';
import type { UsageAmounts, UsageReport } from '../../sessions/usage-log.ts';

/** Plain text, for a terminal and for chats. */
export function usageReportText(report: UsageReport, days: number): string {
  const total = sum(report.models);
  if (total.calls === 0 && report.messages === 0) return `Nothing was used in the last ${days} days.`;
  const sections = [
    [
      `Last ${days} days`,
      `  Sessions: ${count(report.sessions)}, questions: ${count(report.questions)}, messages: ${count(report.messages)}`,
      `  Requests: ${count(total.calls)}`,
      `  Tokens:   ${count(promptOf(total))} in (${cachedShare(total)}% from the cache), ${count(total.output)} out`,
      `  Cost:     ${money(total)}`,
    ],
    table('Models', report.models, ({ model, provider }) => (provider === '' ? model : `${model} (${provider})`)),
    report.tools.length === 0
      ? []
      : ['Tools', ...report.tools.map(({ name, uses }) => `  ${show(name)}: ${count(uses)}`)],
    table('Days', report.days.slice(0, 14), ({ day }) => day),
  ];
  return sections
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.join('\n'))
    .join('\n\n');
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
