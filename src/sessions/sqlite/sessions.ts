/** The table `sessions`, in transactions. */
import type { Source } from '../../llm/source.ts';
import type { FencedWrite } from '../leases.ts';
import { childOf } from '../lineage.ts';
import { missingSession } from '../session-references.ts';
import type { ChildSession, NewSession, SessionFilter, SessionRow, Sessions, SessionSummary } from '../sessions.ts';
import { READING, SAVING } from './attempts.ts';
import type { Connection } from './connection.ts';
import { findById, findByTitle, GivenTitles, nextTitle, resolveSession, setTitle } from './find-session.ts';
import { isHeldElsewhere, passLease, refuseLost } from './leases.ts';
import { lineageOf } from './lineage.ts';
import { listSessions } from './listing.ts';
import { addSources, rewriteTranscript, sessionSources } from './message-log.ts';
import { endSession, findSession, insertSession, reopenSession, setSystemPrompt } from './session-row.ts';

export class SqliteSessions implements Sessions {
  readonly #db: Connection;
  readonly #now: () => number;
  readonly #given = new GivenTitles();

  /** `now` in Unix seconds. */
  constructor(db: Connection, now: () => number) {
    this.#db = db;
    this.#now = now;
  }

  create(session: NewSession): Promise<void> {
    return this.#db.write(SAVING, () => {
      const isNew = insertSession(this.#db, session, this.#now());
      const { id, parentSessionId, systemPrompt } = session;
      if (!isNew && systemPrompt !== undefined) setSystemPrompt(this.#db, id, systemPrompt);
      if (isNew && parentSessionId !== undefined)
        addSources(this.#db, id, null, sessionSources(this.#db, parentSessionId));
    });
  }

  get(id: string): Promise<SessionRow | undefined> {
    return this.#db.read(READING, () => findSession(this.#db, id));
  }

  createChild(parentId: string, child: ChildSession, { fence }: FencedWrite = {}): Promise<SessionRow> {
    return this.#db.write(SAVING, () => {
      refuseLost(this.#db, parentId, fence);
      const created = this.#createChild(parentId, child);
      passLease(this.#db, parentId, child.id, fence);
      return created;
    });
  }

  sources(id: string): Promise<readonly Source[]> {
    return this.#db.read(READING, () => sessionSources(this.#db, id));
  }

  setSystemPrompt(id: string, prompt: string): Promise<void> {
    return this.#db.write(SAVING, () => setSystemPrompt(this.#db, id, prompt));
  }

  end(id: string, reason: string): Promise<void> {
    return this.#db.write(SAVING, () => {
      if (!isHeldElsewhere(this.#db, id, this.#now())) endSession(this.#db, id, reason, this.#now());
    });
  }

  reopen(id: string): Promise<void> {
    return this.#db.write(SAVING, () => reopenSession(this.#db, id));
  }

  setTitle(id: string, title: string): Promise<string | null> {
    return this.#db.write('store the title', () => {
      this.#given.forget();
      return setTitle(this.#db, id, title);
    });
  }

  giveTitle(id: string, title: string): Promise<string | null> {
    return this.#db.write('store the title', () => {
      const session = this.#db.get('SELECT title FROM sessions WHERE id = ?', id);
      if (session === undefined || session['title'] !== null) return null;
      const stored = setTitle(this.#db, id, this.#given.next(this.#db, title));
      if (stored !== null) this.#given.given(stored);
      return stored;
    });
  }

  resolve(reference: string): Promise<SessionRow | undefined> {
    return this.#db.read(READING, () => resolveSession(this.#db, reference));
  }

  titled(title: string): Promise<SessionRow | undefined> {
    return this.#db.read(READING, () => findByTitle(this.#db, title));
  }

  findById(reference: string): Promise<SessionRow | undefined> {
    return this.#db.read(READING, () => findById(this.#db, reference));
  }

  async latest(source: string): Promise<SessionRow | undefined> {
    const [newest] = await this.list({ source, order: 'active', limit: 1 });
    return newest && this.get(newest.id);
  }

  list(filter: SessionFilter = {}): Promise<SessionSummary[]> {
    return this.#db.read(READING, () => listSessions(this.#db, filter));
  }

  lineage(id: string): Promise<string[]> {
    return this.#db.read(READING, () => lineageOf(this.#db, id));
  }

  #createChild(parentId: string, child: ChildSession): SessionRow {
    const parent = findSession(this.#db, parentId);
    if (parent === undefined) throw missingSession(parentId);
    const title = child.title ?? (parent.title === null ? undefined : nextTitle(this.#db, parent.title));
    endSession(this.#db, parentId, child.parentEndReason, this.#now());
    insertSession(this.#db, childOf(parent, child), this.#now());
    this.#given.forget();
    if (title !== undefined) setTitle(this.#db, child.id, title);
    addSources(this.#db, child.id, null, sessionSources(this.#db, parentId));
    rewriteTranscript(this.#db, child.id, child.messages, this.#now());
    const created = findSession(this.#db, child.id);
    if (created === undefined) throw new Error(`session ${child.id} vanished while it was created`);
    return created;
  }
}
