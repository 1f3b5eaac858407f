/** The history as it is sent: what tools have shown that is long another by now is left out. */
import type { HistoryMessage, ToolMessage } from '../llm/message.ts';

const word = '[An older picture was here. Look again for the present one.]';

/** `kept`: of how many results of a tool the pictures stay; undefined: of all. Messages that stay are the same objects. */
export function withoutOldPictures(
  history: readonly HistoryMessage[],
  kept: (tool: string) => number | undefined,
): readonly HistoryMessage[] {
  const seen = new Map<string, number>();
  const old = new Set<HistoryMessage>();
  for (const message of history.toReversed()) {
    if (message.role !== 'tool' || message.tool_name === undefined || !hasPictures(message)) continue;
    const limit = kept(message.tool_name);
    if (limit === undefined) continue;
    const count = (seen.get(message.tool_name) ?? 0) + 1;
    seen.set(message.tool_name, count);
    if (count > limit) old.add(message);
  }
  if (old.size === 0) return history;
  return history.map((message) => (message.role === 'tool' && old.has(message) ? inWords(message) : message));
}

function hasPictures({ content }: ToolMessage): boolean {
  return typeof content !== 'string' && content.some(({ type }) => type === 'image_url');
}

function inWords(message: ToolMessage): ToolMessage {
  if (typeof message.content === 'string') return message;
  return { ...message, content: message.content.map((part) => (part.type === 'text' ? part.text : word)).join('\n') };
}
