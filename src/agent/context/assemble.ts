/** Puts head, summary and tail together so that roles alternate and every call has its result. */
import type { AssistantMessage, HistoryMessage, ToolMessage } from '../../llm/message.ts';
import { textOf } from '../../llm/message.ts';
import { bridges, isBridge, isSummary } from './own-notes.ts';

const earlierResult = '[Result from earlier conversation — see context summary above]';

/** The kept messages are not touched: the summary stands in a message of its own. */
export function assemble(
  head: readonly HistoryMessage[],
  summary: string,
  tail: readonly HistoryMessage[],
): HistoryMessage[] {
  const kept = head.filter((message) => !isSummary(textOf(message.content)) && !isBridge(message));
  const before = kept.at(-1)?.role;
  const after = tail[0]?.role;
  // A history begins with the user.
  const preferred = before === undefined || before === 'assistant' || before === 'tool' ? 'user' : 'assistant';
  const other = preferred === 'user' ? 'assistant' : 'user';
  if (after !== preferred) return pair([...kept, rowOf(preferred, summary), ...tail]);
  const clashes = other === before || before === undefined;
  if (!clashes) return pair([...kept, rowOf(other, summary), ...tail]);
  return pair([...kept, rowOf(preferred, summary), rowOf(other, bridges[other]), ...tail]);
}

function rowOf(role: 'user' | 'assistant', content: string): HistoryMessage {
  return { role, content };
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
