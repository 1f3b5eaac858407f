/** What `delegate_task` reaches: whoever opens conversations that work for this one. */
import type { Human } from '../../agent/human.ts';
import type { Source } from '../../llm/source.ts';

/** `orchestrator`: may have sub-agents of its own, as far as the depth allows it. */
export type SubAgentRole = 'leaf' | 'orchestrator';

export interface DelegatedTask {
  readonly goal: string;
  readonly context?: string;
  readonly role: SubAgentRole;
}

/** The limits, as the model is told of them. */
export interface DelegationTerms {
  /** `delegation.max_concurrent_children` */
  readonly mostTasks: number;
  /** The results come later, as a message of their own. */
  readonly inBackground: boolean;
  /** A sub-agent may be given the role of an orchestrator. */
  readonly mayNest: boolean;
}

/** What of a call of the tool is needed. */
export interface DelegatingCall {
  /** Ends what the call waits for; what works in the background goes on. */
  readonly signal: AbortSignal;
  /** Who is asked for sub-agents that the call waits for. */
  readonly human: Human;
  /** The answer has to fit. */
  readonly maxResultChars: number;
  readonly progress: (text: string) => void;
}

export interface Delegated {
  /** What the model reads, as JSON. */
  readonly answer: object;
  /** Where the text of it comes from. */
  readonly sources: readonly Source[];
}

/**
 * Must start every task at most once, whatever happens to the process; must give a sub-agent nothing that its parent does
 * not have.
 */
export interface Delegation {
  readonly terms: DelegationTerms;
  /** Throws `UserError` for what cannot be begun; what fails in a sub-agent is part of the answer. */
  delegate(tasks: readonly DelegatedTask[], call: DelegatingCall): Promise<Delegated>;
}
