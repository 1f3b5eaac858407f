/** The caps of `limits.*`, checked against what is kept of every request of this home. */
import type { Spending } from '../agent/spending.ts';
import type { Config } from '../config/load.ts';
import { costOf, type ModelKnowledge } from '../models/model-facts.ts';
import { findProfile } from '../providers/choose-provider.ts';
import type { ModelSettings } from '../providers/model-settings.ts';
import type { CalledModel, Usage } from '../llm/protocol.ts';
import type { SessionStore } from '../sessions/session-store.ts';
import type { CallTotals } from '../sessions/usage-log.ts';
import type { Cost } from '../sessions/store-transcript.ts';

export interface SpendingOptions {
  readonly limits: Config['limits'];
  /** Without one, only turns and this run of the session can be counted. */
  readonly store: SessionStore | undefined;
  readonly sessionId: () => string;
  readonly jobId?: string;
  readonly price: (usage: Usage, on: CalledModel) => Promise<Cost>;
  readonly now: () => Date;
  /** The session that this one works for: its caps hold as well, and what is spent here counts there. */
  readonly parent?: CappedSpending | undefined;
}

type Scope = 'turn' | 'session' | 'job' | 'day';

/** Caps in money hold for requests with a known price only; tokens always count. */
export class CappedSpending implements Spending {
  readonly #options: SpendingOptions;
  readonly #sums: SessionSums;
  #turn = noCalls();

  /** `sums` are shared by all runs of a session. */
  constructor(options: SpendingOptions, sums: SessionSums = { run: noCalls(), children: noCalls() }) {
    this.#options = options;
    this.#sums = sums;
  }

  /** For a run beside the conversation: under the same caps, and a turn by itself. */
  beside(): Spending {
    return new CappedSpending(this.#options, this.#sums);
  }

  startTurn(): void {
    this.#turn = noCalls();
  }

  async refusal(): Promise<string | undefined> {
    const { limits, jobId } = this.#options;
    for (const scope of ['turn', 'session', 'job', 'day'] as const) {
      const [tokens, usd] = [limits[`${scope}_tokens`], limits[`${scope}_usd`]];
      if ((tokens <= 0 && usd <= 0) || (scope === 'job' && jobId === undefined)) continue;
      const sum = await this.#spent(scope);
      const word = scope === 'day' ? 'today' : `this ${scope}`;
      if (tokens > 0 && sum.tokens >= tokens) {
        return `Limit reached: ${count(sum.tokens)} of ${count(tokens)} tokens ${word}. Raise it with: hermes config set limits.${scope}_tokens <number>`;
      }
      if (usd > 0 && sum.usd >= usd) {
        return `Limit reached: $${sum.usd.toFixed(2)} of $${usd.toFixed(2)} ${word}. Raise it with: hermes config set limits.${scope}_usd <dollars>`;
      }
    }
    return await this.#options.parent?.refusal();
  }

  async record(usage: Usage, on: CalledModel): Promise<void> {
    const { estimated_cost_usd: usd = 0 } = await this.#options.price(usage, on);
    this.#add({ calls: 1, tokens: allTokens(usage), usd }, [this.#turn, this.#sums.run]);
  }

  #add(spent: CallTotals, sums: readonly Sum[]): void {
    for (const sum of sums) {
      sum.calls += spent.calls;
      sum.tokens += spent.tokens;
      sum.usd += spent.usd;
    }
    const { parent } = this.#options;
    if (parent !== undefined) parent.#add(spent, [parent.#turn, parent.#sums.run, parent.#sums.children]);
  }

  async #spent(scope: Scope): Promise<CallTotals> {
    const { store, sessionId, jobId, now } = this.#options;
    if (scope === 'turn') return this.#turn;
    if (store === undefined) return this.#sums.run;
    if (scope === 'session') return total(await store.usage.spent({ sessionId: sessionId() }), this.#sums.children);
    if (scope === 'job') return jobId === undefined ? noCalls() : await store.usage.spent({ jobId });
    return await store.usage.spent({ since: startOfDay(now()) });
  }
}

interface SessionSums {
  /** All that this run of the session has spent; without a store that is all there is to know. */
  readonly run: Sum;
  /** What sessions that work for this one have spent: the store keeps it under their ids. */
  readonly children: Sum;
}

type Sum = { -readonly [Key in keyof CallTotals]: CallTotals[Key] };

function total(one: CallTotals, other: CallTotals): CallTotals {
  return { calls: one.calls + other.calls, tokens: one.tokens + other.tokens, usd: one.usd + other.usd };
}

function noCalls(): Sum {
  return { calls: 0, tokens: 0, usd: 0 };
}

/** Everything that one request moved, also what the provider had cached. */
export function allTokens({ input, output, cacheRead, cacheWrite }: Usage): number {
  return input + output + cacheRead + cacheWrite;
}

export interface PricingSources {
  /** Without it, only what a provider reports is known. */
  readonly knowledge?: ModelKnowledge;
  readonly settings: ModelSettings;
}

/**
 * What a request cost, in the columns of the store: billed by the provider, estimated, part of a subscription, or
 * unknown. The source tells when not the price but the number of tokens was the guess.
 */
export function createPricing({
  knowledge,
  settings,
}: PricingSources): (usage: Usage, on: CalledModel) => Promise<Cost> {
  return async (usage, { provider, model }) => {
    if (findProfile(provider, settings)?.billing === 'plan') {
      return { estimated_cost_usd: 0, cost_status: 'included', billing_mode: 'subscription_included' };
    }
    if (usage.costUsd !== undefined) {
      return { estimated_cost_usd: usage.costUsd, cost_status: 'actual', cost_source: 'provider' };
    }
    const facts = await knowledge?.facts(provider, model);
    const cost = costOf(usage, facts?.price);
    const guessed = usage.estimated === true ? { cost_source: 'token_estimate' } : {};
    if (cost === undefined || facts === undefined) return { cost_status: 'unknown', ...guessed };
    return { estimated_cost_usd: cost, cost_status: 'estimated', cost_source: facts.source, ...guessed };
  };
}

function startOfDay(now: Date): number {
  return new Date(now.getFullYear(), now.getMonth(), now.getDate()).getTime() / 1000;
}

function count(value: number): string {
  return value.toLocaleString('en-US');
}
