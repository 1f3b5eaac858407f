/** Rules that every outgoing history obeys: alternation, paired calls and results, no empty rows, clean text. */
import { newCallId } from '../llm/call-id.ts';
import {
  type AssistantMessage,
  type Content,
  type HistoryMessage,
  type ToolCall,
  type ToolMessage,
  textOf,
  type UserMessage,
} from '../llm/message.ts';

/** What the model is told of a call whose result never came. */
function interruptedResult(tool: string): string {
  return `[Tool call interrupted — the process stopped while ${tool} was under way, so its outcome is unknown. Check the state of things before running it again.]`;
}

/**
 * A history that a strict provider accepts, from any history. Pure and idempotent; returns the same array when it
 * was in order. Orphan results are dropped, unanswered calls get a stub, results stand in call order right after
 * their message, call ids are unique and not empty, neighbouring user messages are merged and empty assistant rows
 * dropped.
 */
export function repairHistory(history: readonly HistoryMessage[]): readonly HistoryMessage[] {
  if (isInOrder(history)) return history;
  const paired = pairCalls(history);
  return mergeNeighbours(paired.filter((message) => message.role !== 'assistant' || !isEmpty(message)));
}

/** The cheap check that lets a long, healthy history pass without being copied. */
function isInOrder(history: readonly HistoryMessage[]): boolean {
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
      if (message.role === 'user' && previous === 'user') return false;
      if (message.role === 'assistant' && (previous === 'assistant' || previous === undefined || isEmpty(message))) {
        return false;
      }
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

function isEmpty(message: AssistantMessage): boolean {
  return (message.tool_calls ?? []).length === 0 && (message.content ?? '').trim() === '';
}

/** Puts every call's result right behind its message; results without a call are left out. */
function pairCalls(history: readonly HistoryMessage[]): HistoryMessage[] {
  const repaired: HistoryMessage[] = [];
  const usedIds = new Set<string>();
  for (const [index, message] of history.entries()) {
    if (message.role === 'tool') continue;
    if (message.role === 'user' || message.tool_calls === undefined || message.tool_calls.length === 0) {
      repaired.push(message);
      continue;
    }
    const results = resultsAfter(history, index);
    const calls = message.tool_calls.map((call) => ({ ...call, id: claimId(call.id, usedIds) }));
    repaired.push({ ...message, tool_calls: calls });
    for (const [position, call] of calls.entries()) {
      const originalId = message.tool_calls[position]?.id ?? '';
      const result = takeResult(results, originalId);
      repaired.push(result === undefined ? stubResult(call) : { ...result, tool_call_id: call.id });
    }
  }
  return repaired;
}

/** Results that belong to the assistant message at `index`: the tool rows up to the next assistant message. */
function resultsAfter(history: readonly HistoryMessage[], index: number): ToolMessage[] {
  const results: ToolMessage[] = [];
  for (const message of history.slice(index + 1)) {
    if (message.role === 'assistant') break;
    if (message.role === 'tool') results.push(message);
  }
  return results;
}

function takeResult(results: ToolMessage[], id: string): ToolMessage | undefined {
  const position = results.findIndex((result) => result.tool_call_id === id);
  return position === -1 ? undefined : results.splice(position, 1)[0];
}

function stubResult(call: ToolCall): ToolMessage {
  return {
    role: 'tool',
    tool_call_id: call.id,
    tool_name: call.function.name,
    content: interruptedResult(call.function.name),
  };
}

function claimId(id: string, used: Set<string>): string {
  const claimed = id !== '' && !used.has(id) ? id : newCallId();
  used.add(claimed);
  return claimed;
}

function mergeNeighbours(history: readonly HistoryMessage[]): HistoryMessage[] {
  const merged: HistoryMessage[] = [];
  for (const message of history) {
    const last = merged.at(-1);
    if (message.role === 'user' && last?.role === 'user') merged[merged.length - 1] = mergeUsers(last, message);
    else if (message.role === 'assistant' && last?.role === 'assistant') {
      merged[merged.length - 1] = mergeAssistants(last, message);
    } else if (message.role === 'assistant' && last === undefined) {
      merged.push({ role: 'user', content: '[System: the conversation continues from here.]' }, message);
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
  if (typeof content === 'string') return cleanText(content);
  return content.map((part) => (part.type === 'text' ? { ...part, text: cleanText(part.text) } : part));
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
