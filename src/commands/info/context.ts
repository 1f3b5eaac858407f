/** `/context`: what the next request is made of, and how much of it the provider had already. */
import { TokenEstimate } from '../../agent/context/estimate.ts';
import type { HistoryMessage } from '../../llm/message.ts';
import type { SharedCommand } from '../command.ts';

const messageKinds = [
  ['user', 'yours'],
  ['assistant', 'answers and tool calls'],
  ['tool', 'tool results'],
  ['system', 'notes'],
] as const;

interface Row {
  readonly label: string;
  /** Estimated. */
  readonly tokens: number;
}

export const context: SharedCommand = {
  name: 'context',
  category: 'Info',
  description: 'show what the next request is made of',
  surface: 'both',
  whileBusy: true,
  async run({ session, ui }) {
    const { agent } = session;
    const { prompt, tools } = await session.prompt.parts();
    const promptRows = prompt.map(({ name, text }) => ({ label: name, tokens: tokensOf(text) }));
    const toolRows = tools.map(({ name, text }) => ({ label: name, tokens: tokensOf(text) }));
    const messageRows = rowsOf(agent.history);
    const groups: readonly (readonly [string, readonly Row[]])[] = [
      ['System prompt', promptRows],
      [`Tools (${tools.length})`, toolRows.sort((a, b) => b.tokens - a.tokens)],
      [`Messages (${agent.history.length})`, messageRows],
    ];
    const total = groups.reduce((sum, [, rows]) => sum + sumOf(rows), 0);
    const lines = groups.flatMap(([label, rows]) => [
      line(label, sumOf(rows), total),
      ...rows.map((row) => line(`  ${row.label}`, row.tokens, total)),
    ]);
    const { contextLength, model } = agent.route;
    ui.print(
      [
        `Next request to ${model}, tokens estimated at four characters each:`,
        ...lines,
        line('Total', total, total),
        ...(contextLength === undefined ? [] : [line('Free', Math.max(0, contextLength - total), contextLength)]),
        '',
        ...(session.model.compressesAt === undefined
          ? []
          : [`Compresses at ${count(session.model.compressesAt)} tokens.`]),
        ...lastRequest(session.agent.tokens),
      ].join('\n'),
    );
  },
};

const tokensOf = (text: string): number => Math.ceil(text.length / 4);
const sumOf = (rows: readonly Row[]): number => rows.reduce((sum, { tokens }) => sum + tokens, 0);
const count = (value: number): string => value.toLocaleString('en-US');
const percent = (part: number, whole: number): string => `${whole === 0 ? 0 : Math.round((100 * part) / whole)}%`;

function line(label: string, tokens: number, whole: number): string {
  return `${label.padEnd(30)}${count(tokens).padStart(10)}${percent(tokens, whole).padStart(6)}`;
}

function rowsOf(history: readonly HistoryMessage[]): Row[] {
  const estimate = new TokenEstimate();
  return messageKinds.flatMap(([role, label]) => {
    const messages = history.filter((message) => message.role === role);
    return messages.length === 0 ? [] : [{ label, tokens: estimate.history(messages) }];
  });
}

interface Counted {
  readonly prompt_tokens: number;
  readonly cache_read_tokens: number;
  readonly last_prompt_tokens: number;
}

function lastRequest({ prompt_tokens: all, cache_read_tokens: cached, last_prompt_tokens: last }: Counted): string[] {
  if (last === 0) return ['No request yet since this program started.'];
  return [
    `The last request had ${count(last)} tokens by the provider's count.`,
    `From the cache since this program started: ${percent(cached, all)} (${count(cached)} of ${count(all)} tokens).`,
  ];
}
