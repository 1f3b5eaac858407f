/** Messages of chats that were accepted and are not answered yet. */

import { UserError } from '../lib/errors.ts';

/** No more messages are taken for now; the sender is told. */
export class InboxFull extends UserError {
  override readonly name = 'InboxFull';
}

/** A message as it is written down before its platform is told that it arrived. */
export interface NewChatMessage {
  readonly platform: string;
  /** Unique on its platform: the second one with the same id is a duplicate, for at least 7 days. */
  readonly eventId: string;
  readonly sessionKey: string;
  /** JSON of the gateway's own. */
  readonly event: string;
  /** Milliseconds since the epoch. */
  readonly receivedAt: number;
}

/**
 * - `waiting`: nobody works on it
 * - `running`: a turn has begun with it
 * - `done`, `refused`, `expired`, `interrupted`: it has ended, and its sender was answered or told
 */
export type ChatMessageState = 'waiting' | 'running' | ChatMessageEnd;
export type ChatMessageEnd = 'done' | 'refused' | 'expired' | 'interrupted';

/**
 * What a message is to the turn that it ends with:
 * - `own`: the turn begins with it
 * - `steered`: it came while the turn ran, to be read in it
 * - `carried`: a turn of its own was interrupted for the message of this one, whose answer is for both
 */
export type MessagePart = 'own' | 'steered' | 'carried';

export interface ChatMessage extends NewChatMessage {
  /** Grows with the order of arrival. */
  readonly id: number;
  readonly state: ChatMessageState;
  /** How often a turn has begun with it. */
  readonly attempts: number;
  /** The session that its turn began in. */
  readonly sessionId: string | null;
  /** Id of the newest stored message of that session when its turn began; what is newer belongs to the turn. */
  readonly turnAfter: number | null;
  readonly part: MessagePart;
  readonly preview: ShownPreview;
}

/** What a chat may show of an answer while it is written. */
export interface ShownPreview {
  /** The message of the platform in which it is shown; null where there is none, or nobody knows which. */
  readonly messageId: string | null;
  /** One more may stand in the chat: the process died while it was sent, or its answer was lost. */
  readonly unknown: boolean;
  /** Since when the message stands there, in milliseconds; not kept, so unknown to the next process. */
  readonly since?: number;
}

export type Accepted = 'accepted' | 'duplicate';

/**
 * First in, first out for each session key. What a method did is on the disk when its promise resolves: it outlives a
 * killed process and a power cut. Bounded: `accept` throws `InboxFull` when 1,000 messages of a key or 100,000 in all have
 * not ended, and nothing is dropped in silence. What was written is forgotten when it ends; the ids are after 7 days.
 *
 * @example
 * if ((await inbox.accept(message)) === 'accepted') start(message.sessionKey);
 */
export interface ChatInbox {
  /** Many calls in one turn of the event loop share one transaction. */
  accept(message: NewChatMessage): Promise<Accepted>;
  /** Whether it was accepted before, as far as is remembered. */
  isKnown(platform: string, eventId: string): Promise<boolean>;
  /** Everything that has not ended, oldest first; at most `limit` behind `afterId`. For the start. */
  open(options?: { readonly afterId?: number; readonly limit?: number }): Promise<readonly ChatMessage[]>;
  /** What waits for a key, oldest first. */
  waiting(sessionKey: string): Promise<readonly ChatMessage[]>;
  /** What a turn of a key has begun with and has not ended, oldest first. */
  running(sessionKey: string): Promise<readonly ChatMessage[]>;
  /** A turn begins with these, together, or is to read them. Returns them as they are now, without those that have ended. */
  begin(
    ids: readonly number[],
    turn: { readonly sessionId: string; readonly turnAfter: number | null; readonly steered?: boolean },
  ): Promise<readonly ChatMessage[]>;
  /** Their turn was interrupted for what waits: they stay open as `carried`, and end with the turn that comes next. */
  carry(ids: readonly number[]): Promise<void>;
  /** They wait again, in their old places. */
  putBack(ids: readonly number[]): Promise<void>;
  /** Also before a first preview is sent (`unknown`): what a process that dies has shown is known to the next one. */
  setPreview(id: number, preview: ShownPreview): Promise<void>;
  /**
   * They end, and what their senders are to be told is written down, in one transaction. Returns the ids of the replies
   * that are written down: when all of the messages had ended before, these are the ones that already were.
   */
  end(ids: readonly number[], as: ChatMessageEnd, replies?: readonly NewReply[]): Promise<readonly string[]>;
  /** How many wait or run. */
  count(): Promise<number>;
}

/** Something to be sent to a chat: the answer to a message, a notice, the result of a job. */
export interface NewReply {
  /** The same reply has the same id, so that it is written down once. */
  readonly id: string;
  readonly sessionKey: string;
  readonly platform: string;
  readonly chatId: string;
  readonly threadId: string | null;
  /** Markdown; what it is in the store of the original's ledger too. */
  readonly content: string;
  /** JSON of the gateway's own: quoted message, files, a message to be edited. */
  readonly details: string;
}

/**
 * - `pending`: written down, nothing sent
 * - `attempting`: sending has begun; whether it arrived is not known if the process dies
 * - `delivered`
 * - `failed`: it did not arrive, as far as is known, and is tried again at `nextAttemptAt`
 * - `abandoned`: it is not tried any more; whom it concerns is told
 */
export type ReplyState = 'pending' | 'attempting' | 'delivered' | 'failed' | 'abandoned';

export interface Reply extends NewReply {
  readonly state: ReplyState;
  /** How many processes have tried to send what is left of it. */
  readonly attempts: number;
  /** Parts that the platform has taken; the next attempt goes on behind them. */
  readonly partsSent: number;
  /** How often the part behind these was sent without that anybody knows whether it arrived. */
  readonly unknown: number;
  /** This and the next in milliseconds since the epoch. */
  readonly createdAt: number;
  readonly nextAttemptAt: number | null;
  readonly lastError: string | null;
}

/**
 * The ledger of what is sent: written before the first attempt, so that an answer outlives the process. Its rows stand in
 * the original's table `delivery_obligations`, which thereby stays true for it, with what it does not know in a table of
 * ours. What was delivered or abandoned is kept 7 days and at most 500 of it.
 */
export interface Outbox {
  /** Written down unless it is already; many calls in one turn of the event loop share one transaction. */
  add(reply: NewReply): Promise<void>;
  /**
   * An attempt begins: the row is ours, `attempting`; the first one of this process counts. False when it must not be
   * sent: it was delivered or abandoned, or another process that lives is at it.
   */
  begin(id: string, options?: { readonly again?: boolean }): Promise<boolean>;
  /** One more part has arrived; attempts are counted anew. */
  partSent(id: string, partsSent: number): Promise<void>;
  delivered(id: string): Promise<void>;
  /** It is tried again at `retryAt`, in milliseconds since the epoch. `unknown`: it may have arrived. */
  failed(
    id: string,
    failure: { readonly error: string; readonly retryAt: number; readonly unknown?: boolean },
  ): Promise<void>;
  /** It is given up, and those who are to know are told, in one transaction. */
  abandon(id: string, error: string, notices?: readonly NewReply[]): Promise<void>;
  /**
   * For a start: takes what is open of these platforms and whose process is gone or is this one, oldest first. What was
   * being sent when its process died is `failed` now, once more with unknown outcome. `except`: ids that this process
   * is at.
   */
  claimOpen(platforms: readonly string[], except?: ReadonlySet<string>): Promise<readonly Reply[]>;
  get(id: string): Promise<Reply | undefined>;
}
