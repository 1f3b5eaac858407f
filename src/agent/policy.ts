/** The one door in front of every tool call, whoever makes it. */
import type { Judgement } from '../safety/finding.ts';
import type { RunFile } from '../safety/run-file.ts';
import type { ApprovalAnswer, ApprovalRequest } from './human.ts';

export interface PolicyCall {
  /** For messages and the record; nothing is decided by it. */
  readonly tool: string;
  readonly args: Readonly<Record<string, unknown>>;
  readonly sessionId: string;
  /** Of the call in the history. */
  readonly callId?: string;
  /** Whether a person can be asked right now. */
  readonly humanPresent: boolean;
  /** What the tool finds about the call; undefined when it declares nothing. */
  judge(): Promise<Judgement | undefined>;
}

/**
 * What lifts containment of a call. `approved`: a person looked at this very call, now or before; `unquestioned`: the owner
 * wrote down that it runs without a question, and nothing has entered from outside. `contained` lifts nothing: questions
 * are switched off, but text has entered from outside, so what would be asked about is confined where that is possible.
 * `known` neither: questions are switched off, but files have entered that anybody may have written, so what nobody knows
 * the effect of is confined until it is given again.
 */
export type Rights = 'approved' | 'unquestioned' | 'known' | 'contained';

export type PolicyDecision =
  | {
      readonly kind: 'allow';
      /** The change is kept for a person's approval instead of being made. */
      readonly staged: boolean;
      /** What a person was asked about, and said yes to. */
      readonly approved?: readonly string[];
      /** Nobody was asked: the model that judges commands in smart mode said yes to them. */
      readonly approvedBy?: 'model';
      readonly rights?: Rights;
      /** Files that it runs, as they were when that was decided; it must not run when they are others by then. */
      readonly runs?: readonly RunFile[];
    }
  /** `message` is for the model, `reason` for the record. */
  | {
      readonly kind: 'refuse';
      readonly reason: string;
      readonly message: string;
      /** A person might have allowed it, but none can be asked. */
      readonly nobodyToAsk?: true;
    }
  | {
      readonly kind: 'ask';
      readonly request: ApprovalRequest;
      /**
       * Remembers the answer as far as the choice says; returns the refusal when the answer was no, and asks anew when
       * what would run has changed meanwhile.
       */
      settle(answer: ApprovalAnswer): Promise<PolicyDecision>;
    };

/**
 * Must be asked before every call and must fail closed: a call that nothing is known of is asked about, and refused
 * where nobody can be asked. Must know no tool by name.
 */
export interface Policy {
  decide(call: PolicyCall, signal: AbortSignal): Promise<PolicyDecision>;
  /** Told what became of a call that it was asked about, before the result is kept. Must not reject. */
  ended?(call: PolicyCall, end: CallEnd): Promise<void>;
}

/** What became of a call, as far as its tool says. */
export interface CallEnd {
  readonly outcome: 'ok' | 'error' | 'refused' | 'cancelled';
  readonly exitCode?: number;
  readonly changedFiles?: readonly string[];
  readonly ran?: { readonly command: string };
  readonly confined?: true;
  readonly goesOn?: GoesOn;
}

/** What a call has started, and what goes on after its result. */
export interface GoesOn {
  /** The name under which it is known. */
  readonly id: string;
  /** Resolves when it has ended. Must not reject. */
  readonly ended: Promise<{
    readonly exitCode: number;
    /** Who ended it; absent when nobody here did. */
    readonly endedBy?: string;
  }>;
}
