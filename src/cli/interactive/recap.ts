/** What was said before, shown when a session is resumed. */
import { pairCalls } from '../../agent/history.ts';
import { visibleText } from '../../agent/visible-text.ts';
import { counted } from '../../lib/counted.ts';
import { isJsonObject, parseJson } from '../../lib/json.ts';
import { type HistoryMessage, isAnswer, isSaid, kindOf, type ToolCall, textOf } from '../../llm/message.ts';
import { oneLine, terminalText } from '../render/terminal-text.ts';

export interface RecapLimits {
  /** The newest ones. */
  readonly exchanges: number;
  readonly userChars: number;
  readonly answerChars: number;
  readonly answerLines: number;
  /** Answers that only called tools are left out. */
  readonly skipToolOnly: boolean;
}

const usualLimits: RecapLimits = {
  exchanges: 10,
  userChars: 300,
  answerChars: 200,
  answerLines: 3,
  skipToolOnly: false,
};

/** What is shown of a session that goes on. */
export function resumedLines(
  id: string,
  history: readonly HistoryMessage[],
  { shortRecap, recap }: { readonly shortRecap: boolean; readonly recap: RecapLimits },
): string[] {
  const said = shortRecap ? shortRecapLines(history) : ['Previous Conversation', ...recapLines(history, recap)];
  return [resumedLine(id, history), ...said];
}

/** The last exchanges as plain lines: `●` the user, `◆` the answer, `⚠` a call that nobody knows the outcome of. */
export function recapLines(history: readonly HistoryMessage[], limits = usualLimits): string[] {
  const paired = pairCalls(history);
  const starts = paired.flatMap((message, index) => (isSaid(message) ? [index] : []));
  const from = starts.at(-limits.exchanges) ?? 0;
  const shown = paired.slice(from);
  const lines = from > 0 ? [`... ${from} earlier messages ...`] : [];
  return [...lines, ...shown.flatMap((message) => messageLines(message, shown, limits))];
}

/** Which session goes on, and how much was said in it. */
export function resumedLine(id: string, history: readonly HistoryMessage[]): string {
  const asked = history.filter(isSaid).length;
  return `↻ Resumed session ${id} (${counted(asked, 'user message')}, ${history.length} total messages)`;
}

/** The calls of the last exchange that nobody knows the outcome of. */
export function shortRecapLines(history: readonly HistoryMessage[]): string[] {
  const paired = pairCalls(history);
  const last = paired.slice(Math.max(0, paired.findLastIndex(isSaid)));
  return last.flatMap((message) => unknownOutcome(message, last));
}

function messageLines(message: HistoryMessage, all: readonly HistoryMessage[], limits: RecapLimits): string[] {
  switch (message.role) {
    case 'user': {
      if (!['said', 'steer'].includes(kindOf(message))) return [];
      const mark = message.setAside === true ? ' [not sent any more]' : '';
      return [`● ${oneLine(textOf(message.content), limits.userChars)}${mark}`];
    }
    case 'assistant': {
      if (!isAnswer(message)) return [];
      const text = terminalText(visibleText(message.content).trim());
      const mark = message.kind === 'interrupted' ? ' [interrupted]' : '';
      const calls = message.tool_calls ?? [];
      if (text === '' && limits.skipToolOnly) return [];
      const names = [...new Set(calls.map((call) => call.function.name))].join(', ');
      return [
        ...(text === '' ? [] : [`◆ ${firstLines(text, limits)}${mark}`]),
        ...(calls.length === 0 ? [] : [`  [${counted(calls.length, 'tool call')}: ${names}]`]),
      ];
    }
    case 'tool':
      return unknownOutcome(message, all);
  }
}

function unknownOutcome(message: HistoryMessage, all: readonly HistoryMessage[]): string[] {
  if (message.role !== 'tool' || message.kind !== 'unknown') return [];
  const calls = all.flatMap((other) => (other.role === 'assistant' ? (other.tool_calls ?? []) : []));
  const call = calls.findLast(({ id }) => id === message.tool_call_id);
  const what = call === undefined ? (message.tool_name ?? 'a tool call') : callInWords(call);
  return [`⚠ outcome unknown: ${oneLine(what, 200)}`];
}

/** The name, and the first text among the arguments: the command or the path, as tools put what matters first. */
function callInWords({ function: { name, arguments: text } }: ToolCall): string {
  const args = parseJson(text);
  const first = isJsonObject(args) ? Object.values(args).find((value) => typeof value === 'string') : undefined;
  return typeof first === 'string' ? `${name} ${first}` : name;
}

function firstLines(text: string, { answerLines, answerChars }: RecapLimits): string {
  const cut = text.split('\n').slice(0, answerLines).join('\n').slice(0, answerChars);
  return cut.length < text.length ? `${cut.trimEnd()}...` : cut;
}
