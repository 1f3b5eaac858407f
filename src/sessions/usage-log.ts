/** One entry for every model request: what a day, a job or a session cost. */

export interface UsageDelta {
  readonly input_tokens: number;
  readonly output_tokens: number;
  readonly cache_read_tokens: number;
  readonly cache_write_tokens: number;
  readonly reasoning_tokens: number;
  readonly api_calls: number;
  readonly model?: string;
  readonly billing_provider?: string;
  readonly billing_base_url?: string;
  readonly billing_mode?: string;
  readonly estimated_cost_usd?: number;
  readonly cost_status?: string;
  readonly cost_source?: string;
  /** The side task that asked, when it was not the conversation. */
  readonly task?: string;
  /** The cron job that the session works for. */
  readonly job_id?: string;
}

/** Whose requests are summed up: everybody's since a time (Unix seconds), a job's, or a session's with its parents. */
export type SpentScope = { readonly since: number } | { readonly jobId: string } | { readonly sessionId: string };

export interface CallTotals {
  readonly calls: number;
  /** In and out, cached ones too. */
  readonly tokens: number;
  /** Of the requests whose price is known. */
  readonly usd: number;
}

export interface UsageAmounts {
  readonly calls: number;
  readonly input: number;
  readonly output: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
  /** Null when no request had a price. */
  readonly usd: number | null;
  /** Requests without a price. */
  readonly unpriced: number;
}

export interface UsageReport {
  readonly models: readonly (UsageAmounts & { readonly provider: string; readonly model: string })[];
  /** Local days, newest first. */
  readonly days: readonly (UsageAmounts & { readonly day: string })[];
  readonly tools: readonly { readonly name: string; readonly uses: number }[];
  readonly sessions: number;
  readonly questions: number;
  readonly messages: number;
  /** Where sessions were held, the most first. */
  readonly platforms: readonly { readonly name: string; readonly sessions: number; readonly messages: number }[];
  /** Days of the week with questions; 0 is Sunday. */
  readonly weekdays: readonly { readonly day: number; readonly questions: number }[];
  /** Hours of the day with questions, the busiest first. */
  readonly hours: readonly { readonly hour: number; readonly questions: number }[];
  readonly notable: readonly NotableSession[];
}

/** The session with the most of something. */
export interface NotableSession {
  readonly most: 'seconds' | 'messages' | 'tools' | 'tokens';
  readonly id: string;
  /** Empty when it has none. */
  readonly title: string;
  readonly value: number;
}

/**
 * The books. Tokens are counted by the provider, money is in US dollars.
 *
 * @example
 * const { usd } = await store.usage.spent({ since: startOfDay / 1000 });
 */
export interface UsageLog {
  /** Books one request: in the session's counters, unless a side task asked, and in the list of all requests. */
  add(sessionId: string | undefined, delta: UsageDelta): Promise<void>;
  spent(scope: SpentScope): Promise<CallTotals>;
  /** Since Unix seconds. */
  report(options: { since: number; source?: string }): Promise<UsageReport>;
}
