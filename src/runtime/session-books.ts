/** What one session costs: every request is booked, priced and held against the caps. */
import type { Spending } from '../agent/spending.ts';
import type { CalledModel, Usage } from '../llm/protocol.ts';
import type { SideTask } from '../llm/side-task.ts';
import { type Cost, usageDelta } from '../sessions/store-transcript.ts';
import type { SessionParts } from './session-parts.ts';
import { createPricing, createSpending } from './spending.ts';

/** Requests beside a conversation may take this share of all its tokens, after a first allowance. */
const sideShare = 0.045;
const sideAllowance = 40_000;

export class SessionBooks {
  readonly spending: Spending;
  readonly #parts: Pick<SessionParts, 'store'>;
  readonly #sessionId: () => string;
  readonly #price: (usage: Usage, on: CalledModel) => Promise<Cost>;
  #mainTokens = 0;
  #sideTokens = 0;

  constructor(parts: Pick<SessionParts, 'store' | 'models' | 'config'>, sessionId: () => string) {
    this.#parts = parts;
    this.#sessionId = sessionId;
    this.#price = createPricing(parts.models);
    this.spending = createSpending({
      limits: parts.config.config.limits,
      store: parts.store,
      sessionId,
      price: this.#price,
      now: () => new Date(),
    });
  }

  /** The price of one request of the conversation, which its transcript books. */
  async cost(usage: Usage, on: CalledModel): Promise<Cost> {
    this.#mainTokens += allTokens(usage);
    return await this.#price(usage, on);
  }

  /** Books one request beside the conversation. The caps are told by whoever made it. */
  async recordSide(task: SideTask, usage: Usage, on: CalledModel): Promise<void> {
    this.#sideTokens += allTokens(usage);
    const cost = await this.#price(usage, on);
    await this.#parts.store?.usage.add(this.#sessionId(), { ...usageDelta(usage, on), ...cost, task });
  }

  /** Whether so many more tokens beside the conversation keep to their share of it. */
  hasRoomBeside(tokens: number): boolean {
    return this.#sideTokens + tokens <= sideAllowance + sideShare * this.#mainTokens;
  }
}

function allTokens({ input, output, cacheRead, cacheWrite }: Usage): number {
  return input + output + cacheRead + cacheWrite;
}
