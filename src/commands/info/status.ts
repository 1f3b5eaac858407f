/** `/status`: where things stand, without asking the model. */
import { visibleText } from '../../agent/visible-text.ts';
import { isJsonObject, parseJson } from '../../lib/json.ts';
import { type AssistantMessage, type HistoryMessage, isAnswer, isSaid, textOf } from '../../llm/message.ts';
import type { SharedCommand } from '../command.ts';
import { ago } from '../session/list-line.ts';

export const status: SharedCommand = {
  name: 'status',
  category: 'Session',
  description: 'show where this session stands',
  surface: 'both',
  whileBusy: true,
  async run({ session, worker, store, about, ui }) {
    const { agent } = session;
    const row = await session.row();
    const since = (seconds: number): string => ago(Date.now() / 1000 - seconds);
    const updated = (await store?.messages.list(session.id))?.at(-1)?.timestamp;
    const times = [
      ...(row === undefined ? [] : [`Created:  ${since(row.started_at)}`]),
      ...(updated === undefined ? [] : [`Updated:  ${since(updated)}`]),
    ];
    ui.print(
      [
        `Model:    ${agent.route.model} (${agent.route.provider})`,
        `Profile:  ${about.profile}`,
        `Session:  ${session.id}${store === undefined ? ' (not saved)' : ''}`,
        `Title:    ${row?.title ?? '(none)'}`,
        `Directory: ${about.cwd}`,
        ...times,
        `Tokens:   ${agent.tokens.total_tokens.toLocaleString('en-US')} since this program started`,
        ...(session.model.compressesAt === undefined
          ? []
          : [`Compresses at ${session.model.compressesAt.toLocaleString('en-US')} tokens`]),
        `State:    ${worker.busy ? 'working' : 'idle'}, ${session.background.count} background processes`,
        ...recap(agent.history),
      ].join('\n'),
    );
  },
};

const maxTools = 5;
const maxFiles = 5;

/** Counts, tools and files of the conversation, and where it stopped. */
function recap(history: readonly HistoryMessage[]): string[] {
  const said = history.filter(isSaid);
  const results = history.filter((message) => message.role === 'tool');
  const tools = Object.entries(Object.groupBy(results, (message) => message.tool_name ?? 'unknown'))
    .map(([name, rows]) => ({ name, count: rows?.length ?? 0 }))
    .sort((left, right) => right.count - left.count)
    .slice(0, maxTools);
  const files = recentFiles(history);
  const lastPrompt = said.at(-1);
  const lastReply = history.filter(isAnswer).findLast((message) => replyOf(message) !== '');
  return [
    `Turns:    ${said.length}, ${results.length} tool results`,
    ...(tools.length === 0 ? [] : [`Tools:    ${tools.map(({ name, count }) => `${name} ×${count}`).join(', ')}`]),
    ...(files.length === 0 ? [] : [`Files:    ${files.join(', ')}`]),
    ...(lastPrompt === undefined ? [] : [`You said: ${start(textOf(lastPrompt.content))}`]),
    ...(lastReply === undefined ? [] : [`Answer:   ${start(replyOf(lastReply))}`]),
  ];
}

function replyOf({ content }: AssistantMessage): string {
  return visibleText(content).trim();
}

/** Paths that tools were given, newest first. */
function recentFiles(history: readonly HistoryMessage[]): string[] {
  const calls = history.flatMap((message) => (message.role === 'assistant' ? (message.tool_calls ?? []) : []));
  const paths = calls.flatMap((call) => {
    const value = parseJson(call.function.arguments);
    const path = isJsonObject(value) ? value['path'] : undefined;
    return typeof path === 'string' ? [path] : [];
  });
  return [...new Set(paths.reverse())].slice(0, maxFiles);
}

const startChars = 100;

function start(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim();
  return line.length <= startChars ? line : `${line.slice(0, startChars)}…`;
}
