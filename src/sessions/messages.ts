/** The messages of sessions, in the order in which they were said. */
import type { HistoryMessage } from '../llm/message.ts';
import type { FencedWrite } from './leases.ts';

/** A stored message with its place. */
export interface StoredMessage {
  readonly id: number;
  readonly timestamp: number;
  readonly message: HistoryMessage;
}

/** A piece of a transcript around one message, and its two ends. Every list is in order. */
export interface TranscriptPart {
  readonly first: readonly StoredMessage[];
  readonly around: readonly StoredMessage[];
  readonly last: readonly StoredMessage[];
  /** Messages of the session before the first of `around`, and after the last. */
  readonly before: number;
  readonly after: number;
}

/**
 * What was said. A message reads back as it was written, with its kind, its sources and its mark; what goes without
 * saying is left out, but a tool result always says where it is from. Nothing is ever taken back: a message that must
 * not be sent is set aside. Appending to and rewriting a session that does not exist throws a `UserError`, and so does
 * every write with the fence of somebody who lost the session.
 *
 * @example
 * const id = await store.messages.append(session, { role: 'user', content: 'Hello' });
 * const history = await store.messages.conversation(session);
 */
export interface Messages {
  /** Appends in one transaction with the session's counters; returns the message's id. */
  append(sessionId: string, message: HistoryMessage, options?: FencedWrite): Promise<number>;
  /** Marks the newest message, when it is one of the user: it stays, and is left out of every later request. */
  setAsideLast(sessionId: string, options?: FencedWrite): Promise<void>;
  /** The history as the agent wants it. */
  conversation(sessionId: string): Promise<HistoryMessage[]>;
  /** Id of the last message of the history; undefined when nothing was said yet. However long the history is. */
  newest(sessionId: string): Promise<number | undefined>;
  /** The history with ids and times. */
  list(sessionId: string): Promise<StoredMessage[]>;
  /**
   * Puts a shortened list in the place of the conversation, under the same id and in one transaction; what stood there
   * is sent no more, stays in the store, and is found by a search.
   */
  compact(sessionId: string, compacted: Compacted, options?: FencedWrite): Promise<void>;
  /**
   * Takes a message back with all that was said after it; returns how many. They stay in the store, but no list, search
   * or request has them any more.
   */
  undoFrom(sessionId: string, messageId: number, options?: FencedWrite): Promise<number>;
  /** Replaces the live conversation and its counters in one transaction. */
  rewrite(sessionId: string, messages: readonly HistoryMessage[], options?: FencedWrite): Promise<void>;
  /**
   * Up to `span` messages on each side of a message (default: the newest), and up to `ends` of each end of its session.
   * Messages of other roles than `roles` are passed over, but for the one in the middle. Undefined when the session has
   * no such message.
   */
  readAround(place: MessagePlace, options: AroundOptions): Promise<TranscriptPart | undefined>;
}

/** What a session goes on with after a compaction. */
export interface Compacted {
  readonly messages: readonly HistoryMessage[];
  readonly systemPrompt: string;
}

export interface MessagePlace {
  readonly sessionId: string;
  /** Default: the newest. */
  readonly messageId?: number;
}

export interface AroundOptions {
  readonly span: number;
  readonly ends?: number;
  /** Only what a compaction put away, without what stayed in the conversation. */
  readonly putAway?: boolean;
  readonly roles?: readonly string[];
}
