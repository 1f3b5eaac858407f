/** Earlier conversations as the tools see them: those of one person, each conversation once. */
import { mergeSources, type Source } from '../../llm/source.ts';
import type { SearchHit } from '../../sessions/message-search.ts';
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

/** The best message of one conversation. */
export interface Recalled {
  readonly hit: SearchHit;
  readonly session: SessionRow;
  readonly part: TranscriptPart;
  /** Of everything that ever entered the conversation: an answer repeats what a page said. */
  readonly sources: readonly Source[];
}

export interface ReadPlace {
  readonly sessionId: string;
  /** Default: the newest message. */
  readonly messageId?: number;
  /** Messages on each side. */
  readonly window: number;
  readonly roles: readonly string[];
}

/**
 * Everything in it belongs to the session's owner.
 *
 * @example
 * const [first] = await history.search({ query: 'deploy script', limit: 5, roles: ['user', 'assistant'] });
 * const around = await history.read({ sessionId: first.session.id, messageId: first.hit.id, window: 5, roles });
 */
export interface SessionHistory {
  /** What is in the context is left out, what was compacted out of it is not. Never throws for what the query says. */
  search(query: RecallQuery): Promise<Recalled[]>;
  /** Newest first, the running conversation left out. */
  list(limit: number): Promise<{ readonly sessions: readonly SessionSummary[]; readonly sources: readonly Source[] }>;
  /** Undefined when the owner has no such session, or it has no such message. */
  read(place: ReadPlace): Promise<Omit<Recalled, 'hit'> | undefined>;
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

export function createSessionHistory(store: SessionStore, scope: HistoryScope): SessionHistory {
  const { userId, source } = scope;
  const mine =
    userId === null
      ? { userId, excludeSources: hiddenSources }
      : { userId, excludeSources: hiddenSources, sources: source === undefined ? [] : [source] };

  /** What is in the context: the session that is written to, not those that it was compacted from. */
  function inContext(): string[] {
    const id = scope.currentSession();
    return id === undefined ? [] : [id];
  }

  async function runningConversation(): Promise<string[]> {
    const id = scope.currentSession();
    return id === undefined ? [] : await store.sessions.lineage(id);
  }

  async function recall(hit: SearchHit): Promise<Recalled | undefined> {
    const [session, sources, part] = await Promise.all([
      store.sessions.get(hit.session_id),
      store.sessions.sources(hit.session_id),
      store.messages.readAround(
        { sessionId: hit.session_id, messageId: hit.id },
        { span: neighbours, ends: endMessages, roles: spoken },
      ),
    ]);
    // Undefined when it was deleted in between.
    return session === undefined || part === undefined ? undefined : { hit, session, part, sources };
  }

  return {
    async search({ query, limit, roles, order }) {
      const known: string[] = [];
      const found: SearchHit[] = [];
      const atOnce = limit + 2;
      for (let round = 0; round < maxRounds && found.length < limit; round += 1) {
        const hits = await store.search.messages({
          ...mine,
          query,
          roles,
          ...(order === undefined ? {} : { order }),
          excludeSessions: known,
          knownSessions: inContext(),
          onePerSession: true,
          limit: atOnce,
        });
        for (const hit of hits) {
          if (known.includes(hit.session_id)) continue;
          known.push(...(await store.sessions.lineage(hit.session_id)));
          found.push(hit);
          if (found.length === limit) break;
        }
        if (hits.length < atOnce) break;
      }
      const recalled = await Promise.all(found.map(recall));
      return recalled.flatMap((one) => one ?? []);
    },
    async list(limit) {
      const known = await runningConversation();
      const found: SessionSummary[] = [];
      const atOnce = limit * 2;
      for (let round = 0; round < maxRounds && found.length < limit; round += 1) {
        const { sources, ...filter } = { sources: undefined, ...mine };
        const page = await store.sessions.list({
          ...filter,
          ...(sources === undefined ? {} : { source: sources[0] ?? '' }),
          excludeSessions: known,
          limit: atOnce,
        });
        for (const session of page) {
          if (known.includes(session.id)) continue;
          known.push(...(await store.sessions.lineage(session.id)));
          if (session.message_count > 0) found.push(session);
          if (found.length === limit) break;
        }
        if (page.length < atOnce) break;
      }
      const sources = await Promise.all(found.map(({ id }) => store.sessions.sources(id)));
      return { sessions: found, sources: mergeSources(...sources) };
    },
    async read({ sessionId, messageId, window, roles }) {
      const session = await store.sessions.get(sessionId);
      if (session === undefined || session.user_id !== userId) return undefined;
      if (hiddenSources.includes(session.source)) return undefined;
      if (userId !== null && session.source !== source) return undefined;
      const place = { sessionId, ...(messageId === undefined ? {} : { messageId }) };
      const around = { span: window, roles };
      // Of the running conversation the model lacks what was compacted out of it.
      const lacking = messageId === undefined && inContext().includes(sessionId);
      const part =
        (lacking ? await store.messages.readAround(place, { ...around, putAway: true }) : undefined) ??
        (await store.messages.readAround(place, around));
      if (part === undefined) return undefined;
      return { session, part, sources: await store.sessions.sources(sessionId) };
    },
  };
}
