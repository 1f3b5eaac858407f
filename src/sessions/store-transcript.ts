/** Writes an agent's conversation into the session store while it happens. */
import type { Transcript } from '../agent/transcript.ts';
import type { CalledModel, Usage } from '../llm/protocol.ts';
import type { SessionStore } from './session-store.ts';
import type { NewSession } from './sessions.ts';
import type { UsageDelta } from './usage-log.ts';

export interface Booking {
  /** The cron job that the session works for. */
  readonly jobId?: string;
  /** What a request cost, in the store's columns. */
  readonly cost?: (usage: Usage, on: CalledModel) => Promise<Cost>;
}

export type Cost = Pick<UsageDelta, 'estimated_cost_usd' | 'cost_status' | 'cost_source' | 'billing_mode'>;

/**
 * The row of `session` is created before the first message, so that a conversation without messages leaves nothing
 * behind. Every promise resolves when the change survives a kill of this process. Throws the store's `UserError`s.
 */
export function createStoreTranscript(store: SessionStore, session: NewSession, booking: Booking = {}): Transcript {
  let created: Promise<void> | undefined;
  const ensureSession = async (): Promise<void> => {
    created ??= store.sessions.create(session);
    try {
      await created;
    } catch (error) {
      // The next message tries again.
      created = undefined;
      throw error;
    }
  };
  return {
    async append(message) {
      await ensureSession();
      await store.messages.append(session.id, message);
    },
    async recordUsage(usage, on) {
      await ensureSession();
      await store.usage.add(session.id, {
        ...usageDelta(usage, on),
        ...(booking.jobId === undefined ? {} : { job_id: booking.jobId }),
        ...(await booking.cost?.(usage, on)),
      });
    },
    async dropLast() {
      await store.messages.dropLast(session.id);
    },
  };
}

/** One request in the store's columns, without its price. */
export function usageDelta(usage: Usage, on: CalledModel): UsageDelta {
  return {
    input_tokens: usage.input,
    output_tokens: usage.output,
    cache_read_tokens: usage.cacheRead,
    cache_write_tokens: usage.cacheWrite,
    reasoning_tokens: usage.reasoning,
    api_calls: 1,
    model: on.model,
    billing_provider: on.provider,
    billing_base_url: on.baseUrl,
  };
}
