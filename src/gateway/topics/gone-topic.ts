/** A topic that its person has deleted: Telegram says so only when something is to be sent there. */
import { errorMessage } from '../../lib/errors.ts';
import type { Log } from '../../lib/log.ts';
import type { ChatTopics } from '../../sessions/chat-topics.ts';
import type { Chats } from '../chats/chats.ts';
import type { ChatRouting } from '../chats/chat-routing.ts';
import type { ChatAddress } from '../platform/adapter.ts';

export interface GoneTopicParts {
  readonly topics: ChatTopics;
  readonly routing: ChatRouting;
  readonly chats: Chats;
  readonly log: Log;
  /** Nothing is waited for any more. */
  readonly stopping: AbortSignal;
}

/** Its conversation is free for another topic, as soon as what runs in it has ended. Never rejects. */
export async function forgetTopic({ chatId, threadId }: ChatAddress, parts: GoneTopicParts): Promise<void> {
  const { topics, routing, chats, log, stopping } = parts;
  if (threadId === null) return;
  try {
    const bound = await topics.at(chatId, threadId);
    if (bound === undefined) return;
    const entry = await routing.get(bound.sessionKey);
    await topics.gone(chatId, threadId);
    // Else the next change of its entry would bind it again.
    if (entry !== undefined) await routing.forget(entry);
    log.info(
      `the topic ${threadId} of the chat ${chatId} is gone; /topic ${bound.sessionId} in another one has its conversation back`,
    );
    await chats.putDown(bound.sessionKey, stopping);
  } catch (error) {
    log.warning(`that a topic is gone could not be written down: ${errorMessage(error)}`, error);
  }
}
