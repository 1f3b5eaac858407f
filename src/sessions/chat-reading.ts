/** What stands in the conversations of chats, for somebody who looks on from another process. */
import type { JsonObject } from '../lib/json.ts';
import type { AssistantMessage, UserMessage } from '../llm/message.ts';

/** The session that a chat goes on in. Times are Unix seconds. */
export interface ChatConversation {
  readonly sessionKey: string;
  readonly sessionId: string;
  readonly platform: string;
  readonly chatId: string | null;
  readonly chatType: string | null;
  readonly threadId: string | null;
  readonly displayName: string | null;
  /** As in `SessionSource`; undefined where it is not known. */
  readonly origin: JsonObject | undefined;
  readonly startedAt: number;
  readonly lastActive: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
}

export interface SaidInChat {
  readonly id: number;
  readonly sessionKey: string;
  readonly timestamp: number;
  readonly message: UserMessage | AssistantMessage;
}

/** A page of what was said. */
export interface SaidPage {
  readonly messages: readonly SaidInChat[];
  /** Ask for what comes after it; undefined: there is nothing newer. */
  readonly upTo: number | undefined;
}

/**
 * Reads and never writes, so it may be used beside a gateway.
 *
 * @example
 * let seen = await store.chatReading.newest();
 * const { messages, upTo } = await store.chatReading.saidAfter(seen, 100);
 * seen = upTo ?? seen;
 */
export interface ChatReading {
  /** Those that go on, one a chat, and the one in which something was said last comes first. At most 10,000. */
  conversations(): Promise<readonly ChatConversation[]>;
  conversation(sessionKey: string): Promise<ChatConversation | undefined>;
  /** Id of the newest message of all; 0 when there is none. */
  newest(): Promise<number>;
  /**
   * What people and the agent said in chats after a message, oldest first, out of at most `limit` messages: neither notes of
   * this program to the model, nor what a compaction or a branch only wrote down anew.
   */
  saidAfter(id: number, limit: number): Promise<SaidPage>;
}
