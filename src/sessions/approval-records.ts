/** Questions whether a call may run, or in words, from the moment they are asked: they outlive the process that asks. */
import type { ApprovalChoice } from '../agent/human.ts';
import type { ChatQuestions } from './chat-questions.ts';

/** What was asked, of whom and where; an answer is good for exactly this. */
export interface ApprovalQuestion {
  readonly sessionId: string;
  /** Of the tool call in the session's history. */
  readonly callId?: string | undefined;
  readonly surface: string;
  /** Null: whoever sits there. */
  readonly person: string | null;
  /** SHA-256 of the exact bytes that would run and of the folder they start in, in hex. */
  readonly digest: string;
  readonly tool: string;
  /** As it may be shown: without secrets, and cut. */
  readonly shown: string;
  /** What there is against it. */
  readonly findings: readonly string[];
  /** Where the text from outside came from that had entered. */
  readonly sources: readonly string[];
}

export interface ApprovalAnswer extends Pick<ApprovalQuestion, 'sessionId' | 'surface' | 'person' | 'digest'> {
  readonly id: string;
  /** `answered`: a question in words. */
  readonly choice: ApprovalChoice | 'answered';
}

export interface LostQuestion {
  readonly callId: string | undefined;
  readonly tool: string;
  readonly shown: string;
  /** Milliseconds since 1970. */
  readonly askedAt: number;
}

/**
 * One row a question, kept 90 days and at most 5,000. Its state is `pending`, what the answer was, or `lost`: the process
 * that asked ended before somebody answered, and the call did not run.
 *
 * @example
 * const id = await store.approvals.ask(question);
 * // … the person answers …
 * if (!(await store.approvals.answer({ ...question, id, choice: 'once' }))) return refused;
 */
export interface ApprovalRecords {
  /** Questions as they stand in chats, these and others. */
  readonly inChats: ChatQuestions;
  /** Returns the id of the question. */
  ask(question: ApprovalQuestion): Promise<string>;
  /** False when the answer is not good: the question was answered before, was lost, or was another one. */
  answer(answer: ApprovalAnswer): Promise<boolean>;
  /** Ends the open questions of processes that are gone, oldest first; each is returned once. */
  settleLost(sessionId: string): Promise<readonly LostQuestion[]>;
}
