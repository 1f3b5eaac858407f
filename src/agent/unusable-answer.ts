/** What to do with an answer that is neither good calls nor a whole text: ask again, explain, continue, or stop. */
import type { AssistantMessage, HistoryMessage } from '../llm/message.ts';
import { maxJsonDepth, nestsTooDeep } from '../lib/json.ts';
import type { Answer } from './answer.ts';

/** How often each kind of trouble came up in this turn. */
export interface TurnCounters {
  unknownTools: number;
  brokenArguments: number;
  cutCalls: number;
  emptyAnswers: number;
  unfinishedThoughts: number;
  continuations: number;
  /** Text that came along with calls that only kept the agent's own notes; it stands in for an empty answer later. */
  housekeepingText: string;
}

export interface Verdict {
  /** Messages to store before going on. */
  readonly keep: readonly HistoryMessage[];
  /** A part of the answer; the next request continues it. */
  readonly piece?: string;
  /** One line for people: something was called and did not run. */
  readonly told?: string;
  /** What the next request tells the model, and no later one. */
  readonly note?: string;
  /** It was cut: the next answer may be twice as long. */
  readonly raiseLimit?: true;
  /** What was streamed is not part of the answer. */
  readonly voidText: boolean;
  /** Ask again, or end: with a text when there is one, and with an error when it is not a whole answer. A text that `isKept` stands in `keep` and was shown. */
  readonly next: 'again' | { readonly text: string | null; readonly error?: string; readonly isKept?: true };
}

type Unusable = Exclude<Answer, { kind: 'calls' | 'text' }>;

/** Counts the trouble in `counters` and decides. */
export function unusableAnswer(answer: Unusable, counters: TurnCounters, toolNames: readonly string[]): Verdict {
  switch (answer.kind) {
    case 'unknown_tool':
      return onUnknownTool(answer, counters, toolNames);
    case 'broken_arguments':
      return onBrokenArguments(answer, counters);
    case 'cut_call':
      counters.cutCalls += 1;
      return counters.cutCalls <= maxCutCalls
        ? { ...again(), note: cutCallNote, raiseLimit: true }
        : stop(
            'The model ran into its output limit while writing a tool call; the call was not run. Ask for smaller steps (for example, large files in parts), or raise model.max_tokens.',
          );
    case 'filtered':
      return onFiltered(answer);
    case 'cut_thought':
      return stop(
        'Thinking Budget Exhausted: the model used its whole output limit for reasoning. Lower the reasoning effort (agent.reasoning_effort) or raise model.max_tokens.',
      );
    case 'cut_text':
      return onCutText(answer, counters);
    case 'commentary':
      return onCommentary(answer.message, counters);
    case 'unfinished_thought':
      counters.unfinishedThoughts += 1;
      return counters.unfinishedThoughts <= 2
        ? again()
        : stop('The model stopped in the middle of its reasoning three times.');
    case 'empty':
      return onEmpty(answer.reasoning, counters);
  }
}

const maxCutCalls = 4;
const maxBrokenCalls = 4;
const cutCallNote =
  '[System: your answer reached the output limit while you were writing a tool call, so the call was not run. Make a smaller call: write large files in several parts, and say less beside it.]';

const again = (): Verdict => ({ keep: [], voidText: true, next: 'again' });
const stop = (error: string): Verdict => ({ keep: [], voidText: true, next: { text: null, error } });

function onCommentary(message: AssistantMessage, counters: TurnCounters): Verdict {
  counters.continuations += 1;
  if (counters.continuations > 3)
    return { keep: [message], voidText: false, next: { text: message.content, isKept: true } };
  const note = {
    role: 'user' as const,
    kind: 'note' as const,
    content: '[System: Go on: do what you announced, then give the final answer.]',
  };
  return { keep: [message, note], voidText: false, next: 'again' };
}

function onUnknownTool(
  answer: Extract<Answer, { kind: 'unknown_tool' }>,
  counters: TurnCounters,
  toolNames: readonly string[],
): Verdict {
  counters.unknownTools += 1;
  if (counters.unknownTools >= 3) return stop(`Model generated invalid tool call: ${answer.unknown[0] ?? ''}`);
  const available = toolNames.length === 0 ? 'none' : toolNames.join(', ');
  const keep = answerCalls(answer.message, (name) =>
    answer.unknown.includes(name)
      ? `Tool '${name}' does not exist. Available tools: ${available}`
      : 'Skipped: another call in this message named a tool that does not exist. Please retry.',
  );
  const told = `The model called ${answer.unknown.map((name) => `'${name}'`).join(', ')}, which does not exist here; it was told so.`;
  return { keep, told, voidText: false, next: 'again' };
}

function onBrokenArguments(answer: Extract<Answer, { kind: 'broken_arguments' }>, counters: TurnCounters): Verdict {
  counters.brokenArguments += 1;
  if (counters.brokenArguments > maxBrokenCalls) {
    return stop(`The model wrote tool calls with unreadable arguments ${counters.brokenArguments} times in a row.`);
  }
  const readable = withReadableArguments(answer.message, answer.broken);
  const keep = answerCalls(readable, (_name, id) =>
    answer.broken.includes(id)
      ? problemWith(argumentsOf(answer.message, id))
      : 'Skipped: another call in this message had invalid arguments. Please retry.',
  );
  return { keep, voidText: false, next: 'again' };
}

function argumentsOf({ tool_calls: calls = [] }: AssistantMessage, id: string): string {
  return calls.find((call) => call.id === id)?.function.arguments ?? '';
}

/** In the form of a tool's own errors. */
function problemWith(written: string): string {
  const message = nestsTooDeep(written)
    ? `They are nested more than ${maxJsonDepth} levels deep, so the call was not run. Send it again with flatter arguments.`
    : 'They were not a JSON object, so the call was not run. Send it again with valid JSON: double quotes, escaped line breaks, no trailing text.';
  return JSON.stringify({ error: 'Invalid tool arguments', message });
}

/** The same words would be filtered again. */
function onFiltered({ message, text, reason }: Extract<Answer, { kind: 'filtered' }>): Verdict {
  const error = `The provider's content filter ended the answer${reason === '' ? '' : ` (${reason})`}. Put the request in other words, or choose another model.`;
  if (text.trim() === '') return stop(error);
  return { keep: [message], piece: text, voidText: false, next: { text: null, error } };
}

/** Providers refuse a history with arguments that are not JSON, so the broken text itself cannot be kept. */
function withReadableArguments(message: AssistantMessage, broken: readonly string[]): AssistantMessage {
  const calls = (message.tool_calls ?? []).map((call) =>
    broken.includes(call.id) ? { ...call, function: { ...call.function, arguments: '{}' } } : call,
  );
  return { ...message, tool_calls: calls };
}

function answerCalls(message: AssistantMessage, result: (name: string, id: string) => string): HistoryMessage[] {
  const results = (message.tool_calls ?? []).map((call) => ({
    role: 'tool' as const,
    tool_call_id: call.id,
    tool_name: call.function.name,
    content: result(call.function.name, call.id),
    effect: 'none' as const,
    sources: [{ from: 'agent' as const }],
  }));
  return [message, ...results];
}

function onCutText(answer: Extract<Answer, { kind: 'cut_text' }>, counters: TurnCounters): Verdict {
  counters.continuations += 1;
  const kept: HistoryMessage[] = [answer.message];
  if (counters.continuations > 3) {
    const error =
      'The answer was cut at the output limit, also after three continuations. Raise model.max_tokens, or ask for less at once.';
    return { keep: kept, piece: answer.text, voidText: false, next: { text: null, error } };
  }
  kept.push({
    role: 'user',
    kind: 'note',
    content:
      '[System: your answer was cut at the output limit. Continue exactly where it stopped; do not repeat anything.]',
  });
  return { keep: kept, piece: answer.text, raiseLimit: true, voidText: false, next: 'again' };
}

function onEmpty(reasoning: string, counters: TurnCounters): Verdict {
  if (counters.housekeepingText !== '') return { keep: [], voidText: true, next: { text: counters.housekeepingText } };
  counters.emptyAnswers += 1;
  if (counters.emptyAnswers <= 3) return again();
  if (reasoning.trim() !== '') return { keep: [], voidText: true, next: { text: reasoning.trim() } };
  return stop('The model answered with nothing, four times in a row.');
}
