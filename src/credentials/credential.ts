/** What one can log in with, and the pool that hands it out. */

/** A secret that is ready to be sent. Never log it whole. */
export interface Credential {
  /** Stable within its pool. */
  readonly id: string;
  /** For people: a name they gave, or where it comes from. */
  readonly label: string;
  readonly secret: string;
  /** Where this secret is good, when not at the provider's usual address. */
  readonly baseUrl?: string;
  /** The account that it belongs to, for providers that must be told. */
  readonly account?: string;
}

/** How a request with a credential went. */
export type Outcome =
  | { readonly kind: 'ok' }
  | {
      readonly kind: 'failed';
      /** HTTP status, when there was one. */
      readonly status?: number;
      /** 429 that speaks of a plan or usage limit: no use in trying again soon. */
      readonly exhausted: boolean;
      readonly retryAfterMs?: number;
      /** One line, no secret in it. */
      readonly reason: string;
    };

/**
 * What to do after an outcome: `same` credential once more, the `next` one (ask `take` again), or give up because
 * `none` is left.
 */
export type PoolAdvice = 'same' | 'next' | 'none';

/** Why a pool has nothing to give, for the message. */
export interface NothingLeft {
  readonly kind: 'rate_limit' | 'billing' | 'auth';
  /** One line, with what to do; no secret in it. */
  readonly message: string;
}

/**
 * The credentials of one provider. State that matters is kept in `auth.json` and shared by all processes of a home.
 *
 * @example
 * const credential = await pool.take(signal);
 * if (credential === undefined) throw new Error(pool.nothingLeft?.()?.message);
 * const advice = await pool.report(credential, await send(credential), signal);
 */
export interface CredentialPool {
  /** The credential to use now, refreshed when it is about to expire; undefined when none is healthy. */
  take(signal: AbortSignal): Promise<Credential | undefined>;
  /** Must be called once for every request that was sent with a credential, with how it went. */
  report(credential: Credential, outcome: Outcome, signal: AbortSignal): Promise<PoolAdvice>;
  /** Why `take` has nothing: all rest, or the logins have ended. Undefined when there was nothing to begin with. */
  nothingLeft?(): NothingLeft | undefined;
}
