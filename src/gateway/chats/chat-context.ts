/** What the system prompt says of the chat: where it is and who speaks. Names are anybody's to choose, and are quoted. */
import type { MessageEvent } from '../platform/message-event.ts';

const longest = 240;

export interface ContextFacts {
  /** Several people speak in the session. */
  readonly shared: boolean;
  /** Platforms that are connected. */
  readonly connected: readonly string[];
}

export function chatContext({ source }: MessageEvent, { shared, connected }: ContextFacts): string {
  const kind = source.chat_type === 'dm' ? 'a private chat' : `a ${source.chat_type}`;
  const named = source.chat_name === null || source.chat_type === 'dm' ? '' : ` called ${quoted(source.chat_name)}`;
  const lines = [
    `This conversation takes place on ${source.platform}, in ${kind}${named}.`,
    ...(source.chat_topic === null ? [] : [`Its topic: ${quoted(source.chat_topic)}.`]),
    shared
      ? 'Several people speak here; each message begins with its sender in brackets.'
      : `You talk to ${quoted(source.user_name ?? source.user_id ?? 'somebody')}.`,
    `Connected platforms: ${connected.join(', ')}.`,
  ];
  return lines.join('\n');
}

function quoted(text: string): string {
  return JSON.stringify(
    text
      .replaceAll(/\p{Cc}/gu, ' ')
      .slice(0, longest)
      .toWellFormed(),
  );
}
