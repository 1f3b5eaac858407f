/** Which session a chat goes on in, and when it begins a new one. */
import { randomBytes } from 'node:crypto';
import { newSessionId } from '../../sessions/session-id.ts';
import type { ChatMove } from '../../sessions/chat-move.ts';
import type { ChatRoutes, RouteEntry } from '../../sessions/chat-routes.ts';
import { localTime, newRoute } from '../../sessions/route-entry.ts';
import type { SessionRow } from '../../sessions/sessions.ts';
import type { SessionStore } from '../../sessions/session-store.ts';
import { type SessionSource, sessionSource } from '../platform/session-source.ts';
import type { ResetReason, ResetRule } from '../sessions/reset-policy.ts';

export interface Routed {
  readonly entry: RouteEntry;
  /** The stored session to go on with; undefined: there is none yet. */
  readonly resume: SessionRow | undefined;
  /** Set when another session stood in its place until now. */
  readonly reset?: RouteReset;
}

/** Why a chat was given another session, and by which rule. */
export interface Expired {
  readonly reason: ResetReason;
  readonly rule: ResetRule;
}

export interface RouteReset extends Expired {
  /** Of the session that is over, as far as it is known. */
  readonly totalTokens: number;
}

export interface ChatRoutingOptions {
  readonly routes: Pick<ChatRoutes, 'putRight' | 'get' | 'each' | 'save' | 'move' | 'remove'>;
  readonly sessions: SessionStore['sessions'];
  readonly clock: { now(): number };
  /** Why the session of this chat is over, if it is. */
  expired(entry: RouteEntry, source: SessionSource): Expired | undefined;
  /** Most entries that are held in memory. */
  readonly most?: number;
  /** Something stands in the index that did not stand there before. */
  changed?(): void;
}

/** Writing down that a chat was used may wait this long: rules are in minutes, and it spares a transaction a turn. */
const touchMs = 60_000;

/** So many entries are held in memory; the others are read when they are asked for. */
const usualMost = 1000;

/** Every change is written before it counts; those of one chat come one after the other. */
export class ChatRouting {
  readonly #options: ChatRoutingOptions;
  readonly #most: number;
  /** What was used last stands last. */
  readonly #held = new Map<string, RouteEntry>();
  /** The last change of each chat that is being changed. */
  readonly #changes = new Map<string, Promise<unknown>>();

  constructor(options: ChatRoutingOptions) {
    this.#options = options;
    this.#most = options.most ?? usualMost;
  }

  /** So many entries are in memory. */
  get held(): number {
    return this.#held.size;
  }

  /** Before anything is asked for. */
  async open(): Promise<void> {
    await this.#options.routes.putRight();
  }

  async get(sessionKey: string): Promise<RouteEntry | undefined> {
    const held = this.#held.get(sessionKey);
    if (held !== undefined) return this.#hold(held);
    const stored = await this.#options.routes.get(sessionKey);
    // What was changed while it was read is newer.
    const entry = this.#held.get(sessionKey) ?? stored;
    return entry && this.#hold(entry);
  }

  /** All of them; none is held. */
  each(): AsyncIterable<RouteEntry> {
    return this.#options.routes.each();
  }

  /** The session for the next message of this chat. A new one stands in the index before it is used. */
  async sessionFor(sessionKey: string, source: SessionSource): Promise<Routed> {
    return await this.#alone(sessionKey, async (known) => {
      if (known === undefined) return { entry: await this.#begin(sessionKey, source), resume: undefined };
      const resume = await this.#options.sessions.get(known.session_id);
      const expired = this.#options.expired(known, source);
      if (expired === undefined) return { entry: await this.#touch(known), resume };
      const hadActivity = (resume?.message_count ?? 0) > 0;
      if (resume !== undefined) await this.#options.sessions.end(resume.id, expired.reason);
      const was = { was_auto_reset: true, auto_reset_reason: expired.reason, reset_had_activity: hadActivity };
      const entry = await this.#begin(sessionKey, source, was);
      const totalTokens = (resume?.input_tokens ?? 0) + (resume?.output_tokens ?? 0);
      return { entry, resume: undefined, reset: { ...expired, totalTokens } };
    });
  }

  /** `/new`: the next message begins another session, which is returned. */
  async reset(sessionKey: string, source: SessionSource): Promise<RouteEntry> {
    return await this.#alone(sessionKey, async () => await this.#begin(sessionKey, source, { is_fresh_reset: true }));
  }

  /**
   * The chat goes on in a session that was another one's until now. `write` writes the entry down; when it returns false
   * nothing has changed, and false is returned.
   */
  async bind(
    sessionKey: string,
    { source, sessionId }: { readonly source: SessionSource; readonly sessionId: string },
    write: (entry: RouteEntry, before: RouteEntry | undefined) => Promise<boolean>,
  ): Promise<boolean> {
    return await this.#alone(sessionKey, async (before) => {
      const entry = { ...this.#newEntry(sessionKey, source), session_id: sessionId };
      if (!(await write(entry, before))) return false;
      this.#options.changed?.();
      this.#hold(entry);
      return true;
    });
  }

  async change(sessionKey: string, changes: Partial<RouteEntry>): Promise<void> {
    await this.#alone(sessionKey, async (entry) => {
      if (entry !== undefined) await this.#save({ ...entry, ...changes });
    });
  }

  /** Whether the conversation of this chat is over, though nobody has written since. */
  isOver(entry: RouteEntry): boolean {
    const { data: source } = sessionSource.safeParse(entry.origin);
    return source !== undefined && this.#options.expired(entry, source) !== undefined;
  }

  /** The conversation is over, and what was held for it is given back: also the model that was chosen for it. */
  async finalize(sessionKey: string): Promise<void> {
    await this.forgetModel(sessionKey, { expiry_finalized: true });
  }

  /** The chat leaves the index, unless it was used since this was read. Its conversation stays stored. */
  async forget({ session_key: key, updated_at: seen }: RouteEntry): Promise<void> {
    await this.#alone(key, async (entry) => {
      if (entry?.updated_at !== seen) return;
      await this.#options.routes.remove([key]);
      this.#held.delete(key);
      this.#options.changed?.();
    });
  }

  /** The next message is answered by the usual model. */
  async forgetModel(sessionKey: string, more: Partial<RouteEntry> = {}): Promise<void> {
    await this.#alone(sessionKey, async (entry) => {
      if (entry === undefined) return;
      const { model_override: _chosen, ...rest } = entry;
      await this.#save({ ...rest, ...more });
    });
  }

  /** A chat goes by another id; returns the new keys of conversations with messages that have not ended. */
  async move(move: ChatMove): Promise<readonly string[]> {
    const open = await this.#options.routes.move(move);
    this.#held.clear();
    this.#options.changed?.();
    return open;
  }

  /** These chats were cut off; the mark goes with their next message. */
  async markCutOff(sessionKeys: readonly string[], reason: string): Promise<void> {
    const now = localTime(this.#options.clock.now());
    const changes = { resume_pending: true, resume_reason: reason, last_resume_marked_at: now };
    for (const key of sessionKeys) await this.change(key, changes);
  }

  async #begin(sessionKey: string, source: SessionSource, more: Partial<RouteEntry> = {}): Promise<RouteEntry> {
    return await this.#save({ ...this.#newEntry(sessionKey, source), ...more });
  }

  #newEntry(sessionKey: string, source: SessionSource): RouteEntry {
    const { clock } = this.#options;
    const chat = {
      session_key: sessionKey,
      session_id: chatSessionId(clock),
      display_name: source.chat_name ?? source.user_name,
      platform: source.platform,
      chat_type: source.chat_type,
      origin: { ...source },
    };
    return newRoute(chat, { startedAt: clock.now(), now: clock.now() });
  }

  async #touch(entry: RouteEntry): Promise<RouteEntry> {
    const now = this.#options.clock.now();
    if (now - Date.parse(entry.updated_at) < touchMs && !entry.resume_pending) return entry;
    const changes = { expiry_finalized: false, resume_pending: false, resume_reason: null };
    return await this.#save({ ...entry, ...changes, updated_at: localTime(now) });
  }

  async #save(entry: RouteEntry): Promise<RouteEntry> {
    await this.#options.routes.save([entry]);
    this.#options.changed?.();
    return this.#hold(entry);
  }

  #hold(entry: RouteEntry): RouteEntry {
    const { session_key: key } = entry;
    this.#held.delete(key);
    this.#held.set(key, entry);
    const [oldest] = this.#held.keys();
    if (this.#held.size > this.#most && oldest !== undefined) this.#held.delete(oldest);
    return entry;
  }

  /** No change is made from what another one is about to replace. */
  async #alone<T>(sessionKey: string, change: (entry: RouteEntry | undefined) => Promise<T>): Promise<T> {
    const before = this.#changes.get(sessionKey);
    const done = (async () => {
      await before?.catch(() => undefined);
      return await change(await this.get(sessionKey));
    })();
    this.#changes.set(sessionKey, done);
    try {
      return await done;
    } finally {
      if (this.#changes.get(sessionKey) === done) this.#changes.delete(sessionKey);
    }
  }
}

/** As the original names the sessions of chats: eight hex digits, not six. */
function chatSessionId(clock: { now(): number }): string {
  return newSessionId(clock).replace(/[0-9a-f]{6}$/, randomBytes(4).toString('hex'));
}
