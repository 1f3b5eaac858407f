/** The session store on SQLite. */
import { UserError } from '../../lib/errors.ts';
import type { HistoryMessage } from '../../llm/message.ts';
import type { ChildSession, NewSession, SessionStore, UsageDelta } from '../session-store.ts';
import type {
  CallTotals,
  SearchHit,
  SearchQuery,
  SessionRow,
  SessionSummary,
  StoredMessage,
  SpentScope,
  StoreStats,
  TranscriptPart,
  UsageReport,
} from '../session-store.ts';
import { number, text } from './columns.ts';
import type { Connection } from './connection.ts';
import { exportSession } from './export.ts';
import { findById, nextTitle, resolveSession, setTitle } from './find-session.ts';
import { type FullText, mergeFullText, rebuildFullText } from './full-text.ts';
import { lineageOf } from './lineage.ts';
import { listSessions, type SessionFilter, sessionIds, storeStats } from './listing.ts';
import { appendMessage, dropLastMessage, rewriteTranscript, storedMessages } from './message-log.ts';
import { insertCall, spentIn, usageReport } from './model-calls.ts';
import { readAround } from './read-around.ts';
import { SCHEMA_VERSION } from './schema.ts';
import { searchMessages } from './search.ts';
import * as sessions from './session-row.ts';

const SECONDS_PER_DAY = 86_400;
/** Sessions deleted in one transaction, so that other writers get their turn during a long prune. */
const PRUNE_BATCH = 50;

const READ = 'read the session store';
const SAVE = 'save the conversation';
const DELETE = 'delete sessions';

export class SqliteSessionStore implements SessionStore {
  readonly #db: Connection;
  readonly #clock: { now(): number };
  #index: FullText;

  /** `db` must have been made ready with `openSchema`, which tells `index`. */
  constructor(db: Connection, index: FullText, clock: { now(): number }) {
    this.#db = db;
    this.#index = index;
    this.#clock = clock;
  }

  createSession(session: NewSession): Promise<void> {
    return this.#db.write(SAVE, () => sessions.insertSession(this.#db, session, this.#now()));
  }

  getSession(id: string): Promise<SessionRow | undefined> {
    return this.#db.read(READ, () => sessions.findSession(this.#db, id));
  }

  appendMessage(sessionId: string, message: HistoryMessage): Promise<number> {
    return this.#db.write(SAVE, () => appendMessage(this.#db, sessionId, message, this.#now()));
  }

  dropLastMessage(sessionId: string): Promise<void> {
    return this.#db.write(SAVE, () => dropLastMessage(this.#db, sessionId));
  }

  createChild(parentId: string, child: ChildSession): Promise<SessionRow> {
    return this.#db.write(SAVE, () => this.#createChild(parentId, child));
  }

  async getConversation(sessionId: string): Promise<HistoryMessage[]> {
    const stored = await this.getMessages(sessionId);
    return stored.map(({ message }) => message);
  }

  getMessages(sessionId: string): Promise<StoredMessage[]> {
    return this.#db.read(READ, () => storedMessages(this.#db, sessionId));
  }

  rewriteTranscript(sessionId: string, messages: readonly HistoryMessage[]): Promise<void> {
    return this.#db.write(SAVE, () => rewriteTranscript(this.#db, sessionId, messages, this.#now()));
  }

  addUsage(sessionId: string | undefined, delta: UsageDelta): Promise<void> {
    return this.#db.write(SAVE, () => {
      if (sessionId !== undefined && delta.task === undefined) sessions.addUsage(this.#db, sessionId, delta);
      insertCall(this.#db, sessionId, delta, this.#now());
    });
  }

  spent(scope: SpentScope): Promise<CallTotals> {
    return this.#db.read(READ, () => spentIn(this.#db, scope));
  }

  usageReport(options: { since: number; source?: string }): Promise<UsageReport> {
    return this.#db.read(READ, () => usageReport(this.#db, options));
  }

  setSystemPrompt(sessionId: string, prompt: string): Promise<void> {
    return this.#db.write(SAVE, () => sessions.setSystemPrompt(this.#db, sessionId, prompt));
  }

  endSession(sessionId: string, reason: string): Promise<void> {
    return this.#db.write(SAVE, () => sessions.endSession(this.#db, sessionId, reason, this.#now()));
  }

  reopenSession(sessionId: string): Promise<void> {
    return this.#db.write(SAVE, () => sessions.reopenSession(this.#db, sessionId));
  }

  setTitle(sessionId: string, title: string): Promise<string | null> {
    return this.#db.write('store the title', () => setTitle(this.#db, sessionId, title));
  }

  nextTitle(base: string): Promise<string> {
    return this.#db.read(READ, () => nextTitle(this.#db, base));
  }

  resolve(reference: string): Promise<SessionRow | undefined> {
    return this.#db.read(READ, () => resolveSession(this.#db, reference));
  }

  findById(reference: string): Promise<SessionRow | undefined> {
    return this.#db.read(READ, () => findById(this.#db, reference));
  }

  async latest(source: string): Promise<SessionRow | undefined> {
    const [newest] = await this.list({ source, limit: 1 });
    return newest && this.getSession(newest.id);
  }

  list(options: SessionFilter & { limit?: number; offset?: number } = {}): Promise<SessionSummary[]> {
    return this.#db.read(READ, () => listSessions(this.#db, options));
  }

  sessionIds(options: { source?: string } = {}): Promise<string[]> {
    return this.#db.read(READ, () => sessionIds(this.#db, options.source));
  }

  search(query: SearchQuery): Promise<SearchHit[]> {
    return this.#db.read('search the sessions', () => searchMessages(this.#db, this.#index, query));
  }

  lineage(id: string): Promise<string[]> {
    return this.#db.read(READ, () => lineageOf(this.#db, id));
  }

  readAround(
    place: { sessionId: string; messageId?: number },
    options: { span: number; ends?: number; roles?: readonly string[] },
  ): Promise<TranscriptPart | undefined> {
    return this.#db.read(READ, () => readAround(this.#db, place, options));
  }

  exportSession(id: string): AsyncIterable<string> {
    return exportSession(this.#db, id);
  }

  deleteSession(id: string): Promise<boolean> {
    return this.#db.write(DELETE, () => sessions.deleteSession(this.#db, id));
  }

  async prune(options: { olderThanDays: number; source?: string }): Promise<number> {
    const before = this.#now() - options.olderThanDays * SECONDS_PER_DAY;
    let pruned = 0;
    for (;;) {
      const batch = await this.#db.write(DELETE, () => this.#pruneBatch(before, options.source));
      pruned += batch;
      if (batch < PRUNE_BATCH) return pruned;
    }
  }

  stats(): Promise<StoreStats> {
    return this.#db.read(READ, () => storeStats(this.#db));
  }

  async vacuum(): Promise<void> {
    const attempted = 'compact the session store';
    // The search indexes keep deleted text until they are merged.
    await this.#db.write(attempted, () => mergeFullText(this.#db, this.#index));
    await this.#db.outsideTransaction(attempted, () => this.#db.exec('VACUUM'));
  }

  checkIntegrity(): Promise<string[]> {
    return this.#db.read('check the session store', () => {
      const found = [
        ...this.#db.all('PRAGMA integrity_check(20)').map((row) => text(row, 'integrity_check')),
        ...this.#db.all('PRAGMA foreign_key_check').map((row) => `row without its session in ${text(row, 'table')}`),
      ];
      return found.filter((problem) => problem !== 'ok');
    });
  }

  async rebuildIndexes(): Promise<void> {
    const words = { words: true, trigrams: true };
    await this.#db.write('rebuild the indexes of the session store', () => {
      const version = number(this.#db.get('SELECT max(version) AS v FROM schema_version') ?? {}, 'v');
      if (version > SCHEMA_VERSION) {
        throw new UserError(`The search index of ${this.#db.path} belongs to the newer schema version ${version}.`, {
          hint: 'Rebuild it with the program that made it.',
        });
      }
      this.#db.exec('REINDEX');
      rebuildFullText(this.#db);
    });
    this.#index = words;
  }

  getMeta(key: string): Promise<string | undefined> {
    return this.#db.read(READ, () => {
      const row = this.#db.get('SELECT value FROM state_meta WHERE key = ?', key);
      return row && text(row, 'value');
    });
  }

  async setMeta(key: string, value: string): Promise<void> {
    const sql =
      'INSERT INTO state_meta (key, value) VALUES (?, ?) ON CONFLICT(key) DO UPDATE SET value = excluded.value';
    await this.#db.write(SAVE, () => this.#db.run(sql, key, value));
  }

  close(): Promise<void> {
    return this.#db.close();
  }

  /** Unix seconds. */
  #now(): number {
    return this.#clock.now() / 1000;
  }

  #createChild(parentId: string, child: ChildSession): SessionRow {
    const parent = sessions.findSession(this.#db, parentId);
    if (parent === undefined) throw new UserError(`Session '${parentId}' not found.`);
    const title = child.title ?? (parent.title === null ? undefined : nextTitle(this.#db, parent.title));
    sessions.endSession(this.#db, parentId, child.parentEndReason, this.#now());
    sessions.insertSession(
      this.#db,
      {
        id: child.id,
        source: parent.source,
        parentSessionId: parentId,
        ...(parent.user_id !== null && { userId: parent.user_id }),
        ...(parent.model !== null && { model: parent.model }),
        ...(child.systemPrompt !== undefined && { systemPrompt: child.systemPrompt }),
      },
      this.#now(),
    );
    this.#db.run('UPDATE sessions SET model_config = ? WHERE id = ?', parent.model_config, child.id);
    if (title !== undefined) setTitle(this.#db, child.id, title);
    rewriteTranscript(this.#db, child.id, child.messages, this.#now());
    const created = sessions.findSession(this.#db, child.id);
    if (created === undefined) throw new Error(`session ${child.id} vanished while it was created`);
    return created;
  }

  #pruneBatch(before: number, source: string | undefined): number {
    const rows = this.#db.all(
      `SELECT id FROM sessions WHERE ended_at IS NOT NULL AND started_at < ? AND (?2 IS NULL OR source = ?2)
       LIMIT ${PRUNE_BATCH}`,
      before,
      source ?? null,
    );
    for (const row of rows) sessions.deleteSession(this.#db, text(row, 'id'));
    return rows.length;
  }
}
