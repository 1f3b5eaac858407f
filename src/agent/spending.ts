/** Limits in tokens and money, asked before every model request. */
import type { CalledModel, Usage } from '../llm/protocol.ts';

/**
 * The caps of one conversation (turn, session, job, day). Kept on disk and shared by all processes of a home.
 *
 * @example
 * spending.startTurn();
 * const refusal = await spending.refusal(route);
 * if (refusal !== undefined) throw new SpendingCapReached(refusal);
 * await spending.record(usage, { provider, model, baseUrl });
 */
export interface Spending {
  /** A new turn begins. */
  startTurn(): void;
  /**
   * One line that names the cap that is reached, or that cannot be kept for a request to `on`, and what to do; undefined
   * while there is room.
   */
  refusal(on: CalledModel): Promise<string | undefined>;
  /** Books one finished request, of a conversation or a side task. */
  record(usage: Usage, on: CalledModel): Promise<void>;
}

/** A cap is reached; the message is the one line for the user. */
export class SpendingCapReached extends Error {
  override readonly name = 'SpendingCapReached';
}

/** No caps, nothing kept. */
export const unlimited: Spending = {
  startTurn: () => undefined,
  refusal: () => Promise.resolve(undefined),
  record: () => Promise.resolve(),
};
