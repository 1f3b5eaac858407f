/** Earlier conversations as the tools see them: those of one person, each conversation once. */
import { mergeSources, type Source } from '../../llm/source.ts';
import type { SearchHit, SearchQuery } from '../../sessions/message-search.ts';
import type { TranscriptPart } from '../../sessions/messages.ts';
import type { SessionStore } from '../../sessions/session-store.ts';
import type { SessionRow, SessionSummary } from '../../sessions/sessions.ts';

export interface RecallQuery {
  readonly query: string;
  /** Conversations wanted. */
  readonly limit: number;
  readonly roles: readonly string[];
  /** By the time of the message; absent = best first. */
  readonly order?: 'newest' | 'oldest';
}

/** The best message of one conversation, or its first one where the conversation is called so. */
export interface Recalled extends Read {
  readonly match: Match;
  /** The first session of the conversation, where that is another one. */
  readonly rootId?: string;
}

/** `role` says where it was found: in a message of that role, or in the title. */
export interface Match {
  readonly role: string;
  readonly messageId: number;
  /** Unix seconds. */
  readonly at: number;
  readonly snippet: string;
}

/** What was read of a session. */
export interface Read {
  readonly session: SessionRow;
  readonly part: TranscriptPart;
  /** Of everything that ever entered the conversation: an answer repeats what a page said. */
  readonly sources: readonly Source[];
}

export interface ReadPlace {
  readonly sessionId: string;
  readonly messageId: number;
  /** Messages on each side. */
  readonly window: number;
  readonly roles: readonly string[];
}

export interface ReadEnds {
  readonly sessionId: string;
  /** Messages of each end. */
  readonly ends: number;
  readonly roles: readonly string[];
}

/**
 * Everything in it belongs to the session's owner.
 *
 * @example
 * const [first] = await history.search({ query: 'deploy script', limit: 5, roles: ['user', 'assistant'] });
 * const around = await history.read({ sessionId: first.session.id, messageId: first.match.messageId, window: 5, roles });
 */
export interface SessionHistory {
  /** What is in the context is left out, what was compacted out of it is not. Never throws for what the query says. */
  search(query: RecallQuery): Promise<Recalled[]>;
  /** What was used last comes first, the running conversation left out. */
  list(limit: number): Promise<{ readonly sessions: readonly SessionSummary[]; readonly sources: readonly Source[] }>;
  /**
   * Undefined when the owner has no such session, or no session of its conversation has such a message. The session that
   * comes back is the one with the message.
   */
  read(place: ReadPlace): Promise<Read | undefined>;
  /** Both ends of a session; of the running one, what was compacted out of it. Undefined when the owner has none such. */
  readEnds(place: ReadEnds): Promise<Read | undefined>;
}

export interface HistoryScope {
  /** Whose sessions can be seen; null: those of nobody in particular (the terminal, cron). */
  readonly userId: string | null;
  /** The surface that `userId` belongs to: ids of two platforms may be equal. Needed unless `userId` is null. */
  readonly source?: string;
  readonly currentSession: () => string | undefined;
}

/** Work of helpers and of tools is not a conversation of the person. */
const hiddenSources: readonly string[] = ['tool', 'subagent'];
/** Sessions of one conversation are passed over; in a few rounds there are enough others. */
const maxRounds = 8;
const neighbours = 5;
const endMessages = 3;
const spoken: readonly string[] = ['user', 'assistant'];

/** Work that began without a person stands behind the person's own conversations. */
const lastSource = 'cron';

export function createSessionHistory(store: SessionStore, scope: HistoryScope): SessionHistory {
  return new StoredHistory(store, scope);
}

class StoredHistory implements SessionHistory {
  readonly #store: SessionStore;
  readonly #scope: HistoryScope;
  readonly #mine: Pick<SearchQuery, 'userId' | 'sources' | 'excludeSources'>;

  constructor(store: SessionStore, scope: HistoryScope) {
    const { userId, source } = scope;
    this.#store = store;
    this.#scope = scope;
    this.#mine = {
      userId,
      excludeSources: hiddenSources,
      ...(userId === null ? {} : { sources: source === undefined ? [] : [source] }),
    };
  }

  async search(wanted: RecallQuery): Promise<Recalled[]> {
    const { userId } = this.#scope;
    const { query, limit } = wanted;
    const titled = await this.#recallTitled(query);
    const known = titled === undefined ? [] : await this.#store.sessions.lineage(titled.session.id);
    const left = limit - (titled === undefined ? 0 : 1);
    const own = userId === null ? { excludeSources: [...hiddenSources, lastSource] } : this.#mine;
    const found = await this.#searchIn(own, wanted, left, known);
    if (userId === null && found.length < left) {
      found.push(...(await this.#searchIn({ sources: [lastSource] }, wanted, left - found.length, known)));
    }
    const recalled = await Promise.all(
      found.map(({ id, session_id, role, timestamp, snippet }) =>
        this.#recall(session_id, { role, messageId: id, at: timestamp, snippet }),
      ),
    );
    return [titled, ...recalled].flatMap((one) => one ?? []);
  }

  async list(
    limit: number,
  ): Promise<{ readonly sessions: readonly SessionSummary[]; readonly sources: readonly Source[] }> {
    const known = await this.#runningConversation();
    const found: SessionSummary[] = [];
    const atOnce = limit * 2;
    for (let round = 0; round < maxRounds && found.length < limit; round += 1) {
      const { sources, ...filter } = { sources: undefined, ...this.#mine };
      const page = await this.#store.sessions.list({
        ...filter,
        ...(sources === undefined ? {} : { source: sources[0] ?? '' }),
        excludeSessions: known,
        order: 'active',
        limit: atOnce,
      });
      for (const session of page) {
        if (known.includes(session.id)) continue;
        known.push(...(await this.#store.sessions.lineage(session.id)));
        if (session.message_count > 0) found.push(session);
        if (found.length === limit) break;
      }
      if (page.length < atOnce) break;
    }
    const sources = await Promise.all(found.map(({ id }) => this.#store.sessions.sources(id)));
    return { sessions: found, sources: mergeSources(...sources) };
  }

  async read({ sessionId, messageId, window, roles }: ReadPlace): Promise<Read | undefined> {
    const named = await this.#store.sessions.get(sessionId);
    if (named === undefined || !this.#isMine(named)) return undefined;
    const found = await this.#read(named, messageId, window, roles);
    if (found !== undefined) return found;
    // A conversation that was compacted has its messages in several sessions.
    for (const id of await this.#store.sessions.lineage(sessionId)) {
      const session = id === sessionId ? undefined : await this.#store.sessions.get(id);
      const other = session && this.#isMine(session) ? await this.#read(session, messageId, window, roles) : undefined;
      if (other !== undefined) return other;
    }
    return undefined;
  }

  async readEnds({ sessionId, ends, roles }: ReadEnds): Promise<Read | undefined> {
    const session = await this.#store.sessions.get(sessionId);
    if (session === undefined || !this.#isMine(session)) return undefined;
    const place = { sessionId };
    const both = { span: 0, ends, roles };
    // Of the running conversation the model lacks what was compacted out of it.
    const lacking = this.#inContext().includes(sessionId);
    const part =
      (lacking ? await this.#store.messages.readAround(place, { ...both, putAway: true }) : undefined) ??
      (await this.#store.messages.readAround(place, both));
    return part && { session, part, sources: await this.#store.sessions.sources(sessionId) };
  }

  /** What is in the context: the session that is written to, not those that it was compacted from. */
  #inContext(): string[] {
    const id = this.#scope.currentSession();
    return id === undefined ? [] : [id];
  }

  async #runningConversation(): Promise<string[]> {
    const id = this.#scope.currentSession();
    return id === undefined ? [] : await this.#store.sessions.lineage(id);
  }

  #isMine(session: SessionRow): boolean {
    const { userId, source } = this.#scope;
    if (session.user_id !== userId || hiddenSources.includes(session.source)) return false;
    return userId === null || session.source === source;
  }

  async #read(
    session: SessionRow,
    messageId: number,
    window: number,
    roles: readonly string[],
  ): Promise<Read | undefined> {
    const place = { sessionId: session.id, messageId };
    const part = await this.#store.messages.readAround(place, { span: window, ends: endMessages, roles });
    return part && { session, part, sources: await this.#store.sessions.sources(session.id) };
  }

  async #recall(sessionId: string, match: Match): Promise<Recalled | undefined> {
    const session = await this.#store.sessions.get(sessionId);
    const found = session && (await this.#read(session, match.messageId, neighbours, spoken));
    // Undefined when it was deleted in between.
    if (found === undefined) return undefined;
    const [rootId = sessionId] = await this.#store.sessions.lineage(sessionId);
    return { ...found, match, ...(rootId === sessionId ? {} : { rootId }) };
  }

  /** The conversation that is called as the query says; models put titles in quotes. */
  async #recallTitled(query: string): Promise<Recalled | undefined> {
    const title = query.trim().replace(/^[`'"]+|[`'"]+$/g, '');
    const session = title === '' ? undefined : await this.#store.sessions.titled(title);
    if (session === undefined || !this.#isMine(session)) return undefined;
    if ((await this.#runningConversation()).includes(session.id)) return undefined;
    const ends = await this.#store.messages.readAround({ sessionId: session.id }, { span: 0, ends: 1, roles: spoken });
    const [first] = ends?.first ?? [];
    if (first === undefined) return undefined;
    const snippet = `Session title matched: ${session.title ?? title}`;
    return await this.#recall(session.id, {
      role: 'session_title',
      messageId: first.id,
      at: session.started_at,
      snippet,
    });
  }

  /** The best message of each of up to `limit` conversations that are not `known`, which grows. */
  async #searchIn(
    sources: Pick<SearchQuery, 'sources' | 'excludeSources'>,
    { query, roles, order }: RecallQuery,
    limit: number,
    known: string[],
  ): Promise<SearchHit[]> {
    const found: SearchHit[] = [];
    const atOnce = limit + 2;
    for (let round = 0; round < maxRounds && found.length < limit; round += 1) {
      const hits = await this.#store.search.messages({
        ...sources,
        userId: this.#scope.userId,
        query,
        roles,
        ...(order === undefined ? {} : { order }),
        excludeSessions: known,
        knownSessions: this.#inContext(),
        onePerSession: true,
        limit: atOnce,
      });
      for (const hit of hits) {
        if (known.includes(hit.session_id)) continue;
        known.push(...(await this.#store.sessions.lineage(hit.session_id)));
        found.push(hit);
        if (found.length === limit) break;
      }
      if (hits.length < atOnce) break;
    }
    return found;
  }
}
