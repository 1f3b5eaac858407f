/** Writes an agent's conversation into the session store while it happens. */
import type { Continuation, Transcript } from '../agent/transcript.ts';
import { type HistoryMessage, sourcesOf } from '../llm/message.ts';
import type { CalledModel, Usage } from '../llm/protocol.ts';
import { mergeSources, type Source } from '../llm/source.ts';
import type { FencedWrite } from './leases.ts';
import { newSessionId } from './session-id.ts';
import { StoreCompactions } from './store-compactions.ts';
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

/** What a conversation goes on with after a compaction. */
export interface CompactionParts {
  /** The system prompt of the session that goes on. */
  readonly prompt: (sessionId: string) => Promise<string>;
  /** Adds to the shortened history what must not be lost with the rest; default: nothing. */
  readonly carry?: (history: readonly HistoryMessage[]) => readonly HistoryMessage[];
}

export interface StoreTranscriptOptions extends CompactionParts {
  /** A compaction keeps the session; otherwise it ends, and the conversation goes on in a child of it. */
  readonly compactsInPlace?: boolean;
  readonly store: Pick<SessionStore, 'sessions' | 'messages' | 'usage'> & Partial<Pick<SessionStore, 'compactions'>>;
  /** Its row is made before the first message: a conversation without messages leaves nothing behind. */
  readonly session: NewSession;
  /** What has entered the conversation already: `store.sessions.sources` of a resumed one. */
  readonly sources?: readonly Source[];
  readonly booking?: Booking;
  /** Told every message as it is appended. Must not throw or wait. */
  readonly heard?: (message: HistoryMessage) => void;
}

/**
 * Every promise resolves when the change survives a kill of this process. Throws the store's `UserError`s; with a
 * `fence` also when somebody else continues the conversation, and then nothing was written.
 *
 * @example
 * const transcript = new StoreTranscript({ store, session: { id: newSessionId(), source: 'cli' }, prompt });
 * await transcript.append({ role: 'user', content: 'Hello' });
 */
export class StoreTranscript implements Transcript {
  /** The lease under which this process writes; a write of somebody who lost it is refused. Default: none is held. */
  fence: number | undefined;
  readonly compactions?: StoreCompactions;
  readonly #options: StoreTranscriptOptions;
  #sessionId: string;
  #sources: readonly Source[];
  #created: Promise<void> | undefined;

  constructor(options: StoreTranscriptOptions) {
    this.#options = options;
    const { compactions } = options.store;
    if (compactions !== undefined) this.compactions = new StoreCompactions(compactions, () => this.#sessionId);
    this.#sessionId = options.session.id;
    this.#sources = mergeSources(options.sources ?? []);
  }

  get sessionId(): string {
    return this.#sessionId;
  }

  get sources(): readonly Source[] {
    return this.#sources;
  }

  get #write(): FencedWrite {
    return this.fence === undefined ? {} : { fence: this.fence };
  }

  get #compaction(): FencedWrite {
    return { ...this.#write, compactionHolder: this.compactions?.holder };
  }

  async append(message: HistoryMessage): Promise<string> {
    // The agent has seen it, whether or not it can be stored.
    this.#sources = mergeSources(this.#sources, sourcesOf(message));
    this.#options.heard?.(message);
    await this.#ensureSession();
    return String(await this.#options.store.messages.append(this.#sessionId, message, this.#write));
  }

  async setAsideLast(): Promise<void> {
    await this.#options.store.messages.setAsideLast(this.#sessionId, this.#write);
  }

  async recordUsage(usage: Usage, on: CalledModel): Promise<void> {
    const { store, booking } = this.#options;
    await this.#ensureSession();
    await store.usage.add(this.#sessionId, {
      ...usageDelta(usage, on),
      ...(booking?.jobId === undefined ? {} : { job_id: booking.jobId }),
      ...(await booking?.cost?.(usage, on)),
    });
  }

  async compact(history: readonly HistoryMessage[]): Promise<Continuation> {
    const { store, prompt, carry, compactsInPlace = false } = this.#options;
    const messages = carry?.(history) ?? history;
    const id = compactsInPlace ? this.#sessionId : newSessionId();
    const systemPrompt = await prompt(id);
    await this.#ensureSession();
    if (compactsInPlace) await store.messages.compact(id, { messages, systemPrompt }, this.#compaction);
    else {
      const child = { id, systemPrompt, messages, parentEndReason: 'compression' };
      await store.sessions.createChild(this.#sessionId, child, this.#write);
    }
    this.#sessionId = id;
    this.#sources = mergeSources(this.#sources, ...messages.map(sourcesOf));
    return { sessionId: id, history: messages, systemPrompt };
  }

  async #ensureSession(): Promise<void> {
    this.#created ??= this.#options.store.sessions.create(this.#options.session);
    try {
      await this.#created;
    } catch (error) {
      // The next message tries again.
      this.#created = undefined;
      throw error;
    }
  }
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
