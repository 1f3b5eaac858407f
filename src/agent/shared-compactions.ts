/** What programs that share a conversation tell each other of its compactions. */

export interface SummaryFailure {
  /** No summary is asked for before; milliseconds since the epoch. */
  readonly until: number;
  readonly problem: string;
  /** Summaries in a row that failed. */
  readonly inARow: number;
}

/**
 * One program at a time shortens a conversation. What is claimed must be released, stored or not; a program that dies
 * loses its claim by itself.
 *
 * @example
 * if (await compactions.claim()) try { … } finally { await compactions.release(); }
 */
export interface SharedCompactions {
  /** False while somebody else shortens the conversation. */
  claim(): Promise<boolean>;
  /** Does nothing when it is not claimed. */
  release(): Promise<void>;
  /** The newest failed summary, unless one has succeeded since. */
  failure(): Promise<SummaryFailure | undefined>;
  /** Undefined: a summary has succeeded. */
  setFailure(failure: SummaryFailure | undefined): Promise<void>;
}
