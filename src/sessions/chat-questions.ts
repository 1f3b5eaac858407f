/** Questions that wait in chats for a person: they outlive the process that asked, so that none of them ends unsaid. */

/** `approval`: whether a call may run; `confirmation`: whether a command may; `question`: what the agent wants to know. */
export type ChatQuestionKind = 'approval' | 'confirmation' | 'question';

/** Who was asked what, and where. */
export interface ChatQuestion {
  /** That of its buttons. */
  readonly id: string;
  readonly sessionKey: string;
  readonly platform: string;
  readonly chatId: string;
  readonly threadId: string | null;
  /** Null: anybody who may speak to the agent there. */
  readonly person: string | null;
  readonly kind: ChatQuestionKind;
  /** As it may be kept: without secrets, and cut. Markdown. */
  readonly text: string;
  /** SHA-256 of exactly what was asked about, in hex. */
  readonly digest: string;
}

export interface KeptQuestion extends ChatQuestion {
  /** The message with its buttons; null where it has none. */
  readonly messageId: string | null;
  /** When nobody could answer it any more, in milliseconds since the epoch; null while somebody can. */
  readonly lapsedAt: number | null;
}

/**
 * A row from before a question is shown until it is answered, or until a late answer was told to be one. What has lapsed is
 * forgotten after a day, and beyond the newest 1,000.
 *
 * @example
 * await store.approvals.inChats.add(question);
 * // … the person answers …
 * await store.approvals.inChats.end(question.id);
 */
export interface ChatQuestions {
  add(question: ChatQuestion): Promise<void>;
  /** Its buttons stand in this message. */
  shown(id: string, messageId: string): Promise<void>;
  /** Nobody can answer it any more, and a late answer may still come. */
  lapse(id: string): Promise<void>;
  end(id: string): Promise<void>;
  /** For the start: all that there is, oldest first. Those that have not lapsed were asked by a process that is gone. */
  kept(): Promise<readonly KeptQuestion[]>;
}
