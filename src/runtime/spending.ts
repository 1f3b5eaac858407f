/** The caps of `limits.*`, checked against what is kept of every request of this home. */
import type { Spending } from '../agent/spending.ts';
import type { Config } from '../config/load.ts';
import type { CalledModel, Usage } from '../llm/protocol.ts';
import type { SessionStore } from '../sessions/session-store.ts';
import type { CallTotals } from '../sessions/usage-log.ts';
import type { Cost } from '../sessions/store-transcript.ts';

export interface SpendingOptions {
  readonly limits: Config['limits'];
  /** Why a limit that is configured cannot be read, with what to do; nothing is asked then. */
  readonly broken?: string | undefined;
  /** Whether it is known what requests to a model cost; default: it is. */
  readonly priced?: ((on: CalledModel) => Promise<boolean>) | undefined;
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

/** Without a known price a cap in money cannot be kept: such requests are refused, unless they are said not to count. */
export class CappedSpending implements Spending {
  readonly #options: SpendingOptions;
  readonly #sums: SessionSums;
  #turn = noCalls();
  /** A model that turned out to have no price. */
  #unpriced: CalledModel | undefined;

  /** `sums` are shared by all runs of a session. */
  constructor(options: SpendingOptions, sums: SessionSums = { run: noCalls(), children: noCalls() }) {
    this.#options = options;
    this.#sums = sums;
  }

  /** What sessions that work for this one have spent, and are kept under their own names. */
  get ofChildren(): CallTotals {
    return this.#sums.children;
  }

  /** For a run beside the conversation: under the same caps, and a turn by itself. */
  beside(): Spending {
    return new CappedSpending(this.#options, this.#sums);
  }

  startTurn(): void {
    this.#turn = noCalls();
  }

  async refusal(on: CalledModel): Promise<string | undefined> {
    const { limits, jobId, broken } = this.#options;
    if (broken !== undefined) return broken;
    const unkept = await this.#unkept(on);
    if (unkept !== undefined) return unkept;
    for (const scope of ['turn', 'session', 'job', 'day'] as const) {
      const [tokens, usd] = [limits[`${scope}_tokens`], limits[`${scope}_usd`]];
      if ((tokens <= 0 && usd <= 0) || (scope === 'job' && jobId === undefined)) continue;
      const sum = await this.#spent(scope);
      const word = scope === 'day' ? 'today' : `this ${scope}`;
      if (tokens > 0 && sum.tokens >= tokens) {
        return `Limit reached: ${count(sum.tokens)} of ${count(tokens)} tokens ${word}. Raise it with: hermes config set limits.${scope}_tokens <number>`;
      }
      if (usd > 0 && sum.usd >= usd) {
        return `Limit reached: ${money(sum.usd)} of ${money(usd)} ${word}. Raise it with: hermes config set limits.${scope}_usd <dollars>`;
      }
    }
    return await this.#options.parent?.refusal(on);
  }

  /** Why a cap in money cannot be kept for requests to this model. */
  async #unkept(on: CalledModel): Promise<string | undefined> {
    const { limits, jobId, priced } = this.#options;
    if (limits.unknown_price === 'allow') return undefined;
    const scopes = (['turn', 'session', 'job', 'day'] as const).filter(
      (scope) => scope !== 'job' || jobId !== undefined,
    );
    const scope = scopes.find((name) => limits[`${name}_usd`] > 0);
    if (scope === undefined) return undefined;
    const same = this.#unpriced?.provider === on.provider && this.#unpriced.model === on.model;
    if (!same && (await priced?.(on)) !== false) return undefined;
    return `Nothing was sent: limits.${scope}_usd cannot be kept, because the price of ${on.model} (${on.provider}) is not known. Limit tokens instead with: hermes config set limits.${scope}_tokens <number> and hermes config unset limits.${scope}_usd, or count only what has a price with: hermes config set limits.unknown_price allow`;
  }

  async record(usage: Usage, on: CalledModel): Promise<void> {
    const { estimated_cost_usd: cost } = await this.#options.price(usage, on);
    if (cost === undefined) this.#unpriced = on;
    const usd = cost ?? 0;
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

export function total(one: CallTotals, other: CallTotals): CallTotals {
  return { calls: one.calls + other.calls, tokens: one.tokens + other.tokens, usd: one.usd + other.usd };
}

function noCalls(): Sum {
  return { calls: 0, tokens: 0, usd: 0 };
}

/** Everything that one request moved, also what the provider had cached. */
export function allTokens({ input, output, cacheRead, cacheWrite }: Usage): number {
  return input + output + cacheRead + cacheWrite;
}

function startOfDay(now: Date): number {
  return new Date(now.getFullYear(), now.getMonth(), now.getDate()).getTime() / 1000;
}

function count(value: number): string {
  return value.toLocaleString('en-US');
}

/** As many digits as it takes to tell a small amount from none. */
function money(usd: number): string {
  if (usd >= 0.01 && Math.abs(usd - Number(usd.toFixed(2))) < usd / 200) return `$${usd.toFixed(2)}`;
  return usd >= 1 ? `$${usd.toFixed(2)}` : `$${Number(usd.toPrecision(3)).toFixed(10).replace(/0+$/, '')}`;
}
