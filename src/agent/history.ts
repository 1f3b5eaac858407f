/** Rules that every outgoing history obeys: alternation, paired calls and results, no empty rows, clean text. */
import {
  type AssistantMessage,
  type Content,
  type HistoryMessage,
  type ToolCall,
  type ToolMessage,
  textOf,
  type UserMessage,
} from '../llm/message.ts';

/** Stands before and behind a summary beside a user message, and before a history that begins with an answer. */
const bridges = {
  before: 'What followed is in the summary below.',
  user: '[System: the conversation continues from here.]',
  after: 'I have read the summary and go on from there.',
} as const;

/** How the user's words reach the model within a turn: behind the result of a tool, in a mark that no tool can print. */
export const steeringMark = '[User guidance while you work:';

/** What the model is told of a call whose result never came. */
function unknownResult(tool: string): string {
  return `[Tool call interrupted — the process stopped while ${tool} was under way, so its outcome is unknown. Check the state of things before running it again.]`;
}

/**
 * The history as a request carries it: what was set aside is left out, guidance stands behind the result that it came
 * with, interrupted answers say so, and the rest is repaired. Pure and idempotent; returns the same array when nothing
 * had to be done.
 */
export function requestHistory(history: readonly HistoryMessage[]): readonly HistoryMessage[] {
  if (history.every(isSentAsItIs)) return repairHistory(history);
  // Results must stand behind their calls first: guidance on one that is left out would be lost with it.
  const rows = pairCalls(history.filter((message) => !isSetAside(message) && !isEmptyAnswer(message)));
  return repairHistory(rows.reduce<HistoryMessage[]>(addSent, []));
}

function isSentAsItIs(message: HistoryMessage): boolean {
  if (message.role === 'user' && message.sent !== undefined) return false;
  return !isSetAside(message) && message.kind !== 'steer' && message.kind !== 'interrupted';
}

function isSetAside(message: HistoryMessage): boolean {
  return message.role === 'user' && message.setAside === true;
}

function isEmptyAnswer(message: HistoryMessage): boolean {
  return message.role === 'assistant' && isEmpty(message);
}

function addSent(sent: HistoryMessage[], message: HistoryMessage): HistoryMessage[] {
  const last = sent.at(-1);
  const { kind, ...plain } = message;
  if (kind === 'interrupted' && plain.role === 'assistant') {
    sent.push({ ...plain, content: `${plain.content ?? ''} [interrupted]` });
  } else if (kind === 'steer' && last?.role === 'tool') {
    sent[sent.length - 1] = withGuidance(last, textOf(message.content));
  } else if (message.role === 'user' && message.sent !== undefined) {
    const { sent: text, ...rest } = message;
    sent.push({ ...rest, content: text });
  } else sent.push(kind === 'steer' ? { role: 'user', content: message.content ?? '' } : message);
  return sent;
}

function withGuidance(message: ToolMessage, text: string): ToolMessage {
  const note = `\n\n${steeringMark} ${text}]`;
  if (typeof message.content === 'string') return { ...message, content: message.content + note };
  return { ...message, content: [...message.content, { type: 'text', text: note }] };
}

/** Text of a tool in which nothing passes for the user's guidance. */
export function withoutSteeringMark(text: string): string {
  return text.replaceAll(/\[(?=\s*user\s+guidance\s+while\s+you\s+work\b)/gi, '(');
}

/**
 * A history that a strict provider accepts, from any history. Pure and idempotent; returns the same array when it
 * was in order. Orphan results are dropped, unanswered calls get a result that says so, results stand in call order
 * right after their message, call ids are unique and not empty, neighbouring user messages are merged and empty
 * assistant rows dropped.
 */
export function repairHistory(history: readonly HistoryMessage[]): readonly HistoryMessage[] {
  if (isInOrder(history)) return history;
  const paired = pairCalls(history);
  return mergeNeighbours(paired.filter((message) => !isEmptyAnswer(message)));
}

/** The cheap check that lets a long, healthy history pass without being taken apart. */
function isInOrder(history: readonly HistoryMessage[], alternates = true): boolean {
  const seen = new Set<string>();
  let expected: readonly ToolCall[] = [];
  let answered = 0;
  let previous: HistoryMessage['role'] | undefined;
  for (const message of history) {
    if (message.role === 'tool') {
      if (expected[answered]?.id !== message.tool_call_id) return false;
      answered += 1;
    } else {
      if (answered !== expected.length) return false;
      if (alternates && breaksOrder(message, previous)) return false;
      expected = message.role === 'assistant' ? (message.tool_calls ?? []) : [];
      answered = 0;
      for (const call of expected) {
        if (call.id === '' || seen.has(call.id)) return false;
        seen.add(call.id);
      }
    }
    previous = message.role;
  }
  return answered === expected.length;
}

function breaksOrder(message: UserMessage | AssistantMessage, previous: HistoryMessage['role'] | undefined): boolean {
  if (message.role === 'user') return previous === 'user';
  return previous === 'assistant' || previous === undefined || isEmpty(message);
}

function isEmpty(message: AssistantMessage): boolean {
  return (message.tool_calls ?? []).length === 0 && (message.content ?? '').trim() === '';
}

/** Every call's result right behind its message; results without a call are left out. The same array when that is so. */
export function pairCalls(history: readonly HistoryMessage[]): readonly HistoryMessage[] {
  if (isInOrder(history, false)) return history;
  const results = new ResultsById(history);
  const usedIds = new Set<string>();
  const repaired: HistoryMessage[] = [];
  for (const [index, message] of history.entries()) {
    if (message.role === 'tool') continue;
    if (message.role === 'user' || message.tool_calls === undefined || message.tool_calls.length === 0) {
      repaired.push(message);
      continue;
    }
    const calls = message.tool_calls.map((call) => ({ ...call, id: claimId(call.id, usedIds) }));
    const renamed = calls.some((call, position) => call.id !== message.tool_calls?.[position]?.id);
    repaired.push(renamed ? { ...message, tool_calls: calls } : message);
    for (const [position, call] of calls.entries()) {
      const result = results.take(message.tool_calls[position]?.id ?? '', index);
      if (result === undefined) repaired.push(stubResult(call));
      else repaired.push(result.tool_call_id === call.id ? result : { ...result, tool_call_id: call.id });
    }
  }
  return repaired;
}

/**
 * Finds results by the id of their call, wherever they stand behind it: two writers of one conversation may have put
 * other messages in between. An id that is used again ends the search.
 */
class ResultsById {
  readonly #rows = new Map<string, { readonly at: number; readonly message: HistoryMessage }[]>();

  constructor(history: readonly HistoryMessage[]) {
    for (const [at, message] of history.entries()) {
      if (message.role === 'tool') this.#add(message.tool_call_id, at, message);
      if (message.role === 'assistant') for (const { id } of message.tool_calls ?? []) this.#add(id, at, message);
    }
  }

  /** Calls must be asked for in the order of the history. */
  take(id: string, callAt: number): ToolMessage | undefined {
    const rows = this.#rows.get(id) ?? [];
    const first = rows.findIndex(({ at }) => at > callAt);
    rows.splice(0, first === -1 ? rows.length : first);
    const next = rows[0]?.message;
    if (next?.role !== 'tool') return undefined;
    rows.shift();
    return next;
  }

  #add(id: string, at: number, message: HistoryMessage): void {
    const rows = this.#rows.get(id);
    if (rows === undefined) this.#rows.set(id, [{ at, message }]);
    else rows.push({ at, message });
  }
}

function stubResult(call: ToolCall): ToolMessage {
  return {
    role: 'tool',
    tool_call_id: call.id,
    tool_name: call.function.name,
    content: unknownResult(call.function.name),
    kind: 'unknown',
    sources: [{ from: 'agent' }],
  };
}

/** The same for the same history, because a request must begin with the bytes of the one before. */
function claimId(id: string, used: Set<string>): string {
  let claimed = id;
  for (let n = used.size; claimed === '' || used.has(claimed); n += 1) {
    claimed = `call_${n.toString(16).padStart(12, '0')}`;
  }
  used.add(claimed);
  return claimed;
}

function mergeNeighbours(history: readonly HistoryMessage[]): HistoryMessage[] {
  const merged: HistoryMessage[] = [];
  for (const message of history) {
    const last = merged.at(-1);
    if (message.role === 'user' && last?.role === 'user') {
      const bridge = last.kind === 'summary' ? bridges.after : message.kind === 'summary' ? bridges.before : undefined;
      if (bridge !== undefined) merged.push({ role: 'assistant', content: bridge, kind: 'bridge' }, message);
      else merged[merged.length - 1] = mergeUsers(last, message);
    } else if (message.role === 'assistant' && last?.role === 'assistant') {
      merged[merged.length - 1] = mergeAssistants(last, message);
    } else if (message.role === 'assistant' && last === undefined) {
      merged.push({ role: 'user', content: bridges.user, kind: 'bridge' }, message);
    } else merged.push(message);
  }
  return merged;
}

function mergeUsers(first: UserMessage, second: UserMessage): UserMessage {
  return { role: 'user', content: joinContent(first.content, second.content) };
}

function joinContent(first: Content, second: Content): Content {
  if (typeof first === 'string' && typeof second === 'string') {
    return [first, second].filter((text) => text !== '').join('\n');
  }
  return [...toParts(first), ...toParts(second)];
}

function toParts(content: Content) {
  if (typeof content !== 'string') return content;
  return content === '' ? [] : [{ type: 'text' as const, text: content }];
}

/** The first has no calls, or their results would stand between the two. */
function mergeAssistants(first: AssistantMessage, second: AssistantMessage): AssistantMessage {
  const content = [first.content, second.content].filter((text) => text !== null && text !== '').join('\n');
  const reasoning = [first.reasoning, second.reasoning].filter((text) => text !== undefined).join('\n');
  return { ...second, content: content === '' ? null : content, ...(reasoning === '' ? {} : { reasoning }) };
}

/** Text without lone surrogates (each becomes U+FFFD) and NUL, which neither models nor stores accept. */
export function cleanText(text: string): string {
  const wellFormed = text.isWellFormed() ? text : text.toWellFormed();
  return wellFormed.includes('\0') ? wellFormed.replaceAll('\0', '\uFFFD') : wellFormed;
}

/** `cleanText` for content with parts. */
export function cleanContent(content: Content): Content {
  return mapText(content, cleanText);
}

/** The content with every text of it changed. */
export function mapText(content: Content, change: (text: string) => string): Content {
  if (typeof content === 'string') return change(content);
  return content.map((part) => (part.type === 'text' ? { ...part, text: change(part.text) } : part));
}

/**
 * A loaded history without the budget pressure notes that older versions wrote into tool results; they made models
 * give up early.
 */
export function stripBudgetWarnings(history: readonly HistoryMessage[]): HistoryMessage[] {
  return history.map((message) => {
    if (message.role !== 'tool') return message;
    const text = textOf(message.content);
    if (typeof message.content !== 'string' || !/_budget_warning|\[BUDGET/.test(text)) return message;
    return { ...message, content: stripBudgetText(text) };
  });
}

function stripBudgetText(text: string): string {
  return text
    .replace(/,?\s*"_budget_warning"\s*:\s*"(?:[^"\\]|\\.)*"/g, '')
    .replace(/\n*\[BUDGET[^\]]*\]/g, '')
    .replace(/^\{\s*,\s*/, '{');
}
