/** Puts head, summary and tail together so that roles alternate and every call has its result. */
import type { AssistantMessage, Content, HistoryMessage, ToolMessage } from '../../llm/message.ts';
import { textOf } from '../../llm/message.ts';
import { isSummary } from './own-notes.ts';

const earlierResult = '[Result from earlier conversation — see context summary above]';

export function assemble(
  head: readonly HistoryMessage[],
  summary: string,
  tail: readonly HistoryMessage[],
): HistoryMessage[] {
  const kept = head.filter((message) => !isSummary(textOf(message.content)));
  const before = kept.at(-1)?.role;
  const after = tail[0]?.role;
  // A history begins with the user.
  const preferred = before === undefined || before === 'assistant' || before === 'tool' ? 'user' : 'assistant';
  const other = preferred === 'user' ? 'assistant' : 'user';
  if (after !== preferred) return pair([...kept, rowOf(preferred, summary), ...tail]);
  const clashes = other === before || before === undefined;
  if (!clashes) return pair([...kept, rowOf(other, summary), ...tail]);
  const [first, ...rest] = tail;
  return pair(first === undefined ? kept : [...kept, prepend(first, summary), ...rest]);
}

function rowOf(role: 'user' | 'assistant', content: string): HistoryMessage {
  return { role, content };
}

function prepend(message: HistoryMessage, summary: string): HistoryMessage {
  if (message.role === 'tool') return message;
  if (message.role === 'assistant') return { ...message, content: joinText(summary, message.content ?? '') };
  return { ...message, content: joinContent(summary, message.content) };
}

function joinText(summary: string, text: string): string {
  return text === '' ? summary : `${summary}\n\n${text}`;
}

function joinContent(summary: string, content: Content): Content {
  return typeof content === 'string'
    ? joinText(summary, content)
    : [{ type: 'text', text: `${summary}\n\n` }, ...content];
}

/** Drops results without a call and answers calls without a result. */
function pair(history: readonly HistoryMessage[]): HistoryMessage[] {
  const result: HistoryMessage[] = [];
  let open: AssistantMessage | undefined;
  const answered = new Set<string>();
  const close = (): void => {
    for (const call of open?.tool_calls ?? []) {
      if (answered.has(call.id)) continue;
      const stub: ToolMessage = {
        role: 'tool',
        tool_call_id: call.id,
        tool_name: call.function.name,
        content: earlierResult,
      };
      result.push(stub);
    }
    open = undefined;
    answered.clear();
  };
  for (const message of history) {
    if (message.role === 'tool') {
      if (open?.tool_calls?.some(({ id }) => id === message.tool_call_id) !== true) continue;
      if (answered.has(message.tool_call_id)) continue;
      answered.add(message.tool_call_id);
    } else {
      close();
      if (message.role === 'assistant' && (message.tool_calls ?? []).length > 0) open = message;
    }
    result.push(message);
  }
  close();
  return result;
}
