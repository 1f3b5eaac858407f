/** Messages that wait for their turn. */
import type { Content, UserKind } from '../llm/message.ts';
import type { Source } from '../llm/source.ts';

export interface QueuedMessage {
  /** Unique in the queue. */
  readonly id: string;
  readonly sessionId: string;
  readonly content: Content;
  /** What the model is sent in place of a text. */
  readonly sent?: string;
  readonly kind: UserKind;
  /** Empty: as it was typed; what it refers to is brought in when its turn begins. */
  readonly sources: readonly Source[];
  /** The id that a chat platform gave it. */
  readonly platformMessageId?: string;
  /** The person sees already what it stands for. */
  readonly shown?: true;
  /** Milliseconds since the epoch. */
  readonly queuedAt: number;
}

export type NewMessage = Omit<QueuedMessage, 'id' | 'queuedAt'>;

export interface PushOptions {
  /** Before everything that waits, behind what was pushed so earlier; never refused for lack of room. */
  readonly first?: boolean;
}

/**
 * First in, first out for each session; every message is handed out at least once, until it is `done`. Bounded: `push`
 * throws a `UserError` when the session's queue is full, and nothing is dropped in silence. The terminal's is in memory;
 * a durable one keeps its promise across a kill of the process.
 *
 * @example
 * const message = await queue.take(session.id);
 * if (message !== undefined) {
 *   await answer(message);
 *   await queue.done(message.id);
 * }
 */
export interface WorkQueue {
  push(message: NewMessage, options?: PushOptions): Promise<QueuedMessage>;
  /** The oldest message of a session that nobody works on; it is being worked on from then on. */
  take(sessionId: string): Promise<QueuedMessage | undefined>;
  /** It was answered, or its end was told. */
  done(id: string): Promise<void>;
  /** It was not answered; it is the first to be taken again. */
  putBack(id: string): Promise<void>;
  /** Waiting messages of a session, oldest first. */
  waiting(sessionId: string): Promise<readonly QueuedMessage[]>;
  /** Changes a waiting message, which stands for itself then; false when it does not wait any more. */
  edit(id: string, content: Content): Promise<boolean>;
  /** Takes a waiting message out; false when it does not wait any more. */
  remove(id: string): Promise<boolean>;
  /** The conversation goes on under another id. */
  move(from: string, to: string): Promise<void>;
}
