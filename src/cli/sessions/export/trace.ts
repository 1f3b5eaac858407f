/** A session as a trace in the form of Claude Code's transcripts, which viewers of agent runs read. */
import { randomUUID } from 'node:crypto';
import { parseJson } from '../../../lib/json.ts';
import type { RecordedMessage, SessionRecord } from './record.ts';

/** Lines of JSON, one for each message that was said, answered or returned by a tool. */
export function traceOf(session: SessionRecord): string {
  let parent: string | null = null;
  let text = '';
  for (const message of session.messages) {
    const said = messageOf(message, session.model);
    if (said === undefined) continue;
    const uuid = randomUUID();
    const line = {
      parentUuid: parent,
      isSidechain: false,
      userType: 'external',
      cwd: session.cwd ?? '',
      sessionId: session.id,
      version: 'hermes-agent',
      gitBranch: session.git_branch ?? '',
      uuid,
      timestamp: new Date(message.timestamp * 1000).toISOString(),
      type: said.role,
      message: said,
    };
    text += `${JSON.stringify(line)}\n`;
    parent = uuid;
  }
  return text;
}

function messageOf(message: RecordedMessage, model: string | null) {
  const { role, content, tool_calls: calls } = message;
  if (role === 'user') return { role, content: typeof content === 'string' ? content : blocks(content) };
  if (role === 'tool') {
    const result = typeof content === 'string' ? content : blocks(content);
    return {
      role: 'user',
      content: [{ type: 'tool_result', tool_use_id: message.tool_call_id ?? '', content: result }],
    };
  }
  if (role !== 'assistant') return undefined;
  const uses = (calls ?? []).map(({ id = '', function: call }) => {
    return { type: 'tool_use', id, name: call.name, input: parseJson(call.arguments) ?? {} };
  });
  return { role, model, content: [...blocks(content), ...uses] };
}

function blocks(content: RecordedMessage['content']) {
  if (content === null || content === '') return [];
  if (typeof content === 'string') return [{ type: 'text', text: content }];
  return content.map(({ type, text }) => ({ type: 'text', text: type === 'text' ? (text ?? '') : '[image omitted]' }));
}
