/** xAI keeps a conversation on one server, and so its cache warm, by this header. */
import type { ModelRequest } from '../../llm/protocol.ts';

export function conversationHeader({ sessionId }: ModelRequest): Record<string, string> {
  return sessionId === undefined ? {} : { 'x-grok-conv-id': sessionId };
}
