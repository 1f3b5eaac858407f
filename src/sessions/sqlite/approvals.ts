/** The table `approval_requests`, in transactions. */
import { randomUUID } from 'node:crypto';
import type { ChatQuestions } from '../chat-questions.ts';
import type { ApprovalAnswer, ApprovalQuestion, ApprovalRecords, LostQuestion } from '../approval-records.ts';
import { isDead, ownProcess, type ProcessIdentity } from '../process-identity.ts';
import { READING, SAVING } from './attempts.ts';
import { number, text, textOrNull } from './columns.ts';
import type { Connection, Row } from './connection.ts';
import { isHeldElsewhere } from './leases.ts';
import { ensureTable, hasTable, type OwnTable } from './own-tables.ts';

const KEPT_SECONDS = 90 * 24 * 3600;
const MAX_ROWS = 5000;

const requests: OwnTable = {
  name: 'approval_requests',
  columns: {
    id: 'TEXT PRIMARY KEY',
    session_id: 'TEXT NOT NULL',
    call_id: 'TEXT',
    surface: 'TEXT NOT NULL',
    person: 'TEXT',
    digest: 'TEXT NOT NULL',
    tool: 'TEXT NOT NULL',
    shown: 'TEXT NOT NULL',
    findings: 'TEXT NOT NULL',
    sources: 'TEXT NOT NULL',
    asked_at: 'REAL NOT NULL',
    // `pending`, `lost`, or what the answer was.
    state: 'TEXT NOT NULL',
    answered_by: 'TEXT',
    answered_at: 'REAL',
    host: 'TEXT NOT NULL',
    pid: 'INTEGER NOT NULL',
    process_start: 'TEXT',
  },
  indexes: [
    "idx_approval_requests_pending ON approval_requests(session_id) WHERE state = 'pending'",
    'idx_approval_requests_asked ON approval_requests(asked_at)',
  ],
};

/** What was asked in a session goes with it. Call it inside a write. */
export function deleteApprovals(db: Connection, sessionId: string): void {
  if (hasTable(db, requests)) db.run('DELETE FROM approval_requests WHERE session_id = ?', sessionId);
}

export class SqliteApprovals implements ApprovalRecords {
  readonly inChats: ChatQuestions;
  readonly #db: Connection;
  readonly #now: () => number;
  #self: ProcessIdentity | undefined;

  /** `now` in Unix seconds. */
  constructor(db: Connection, now: () => number, inChats: ChatQuestions) {
    this.inChats = inChats;
    this.#db = db;
    this.#now = now;
  }

  ask(question: ApprovalQuestion): Promise<string> {
    return this.#db.write(SAVING, () => {
      const id = randomUUID();
      const { host, pid, start } = this.#me();
      ensureTable(this.#db, requests);
      this.#forgetOld();
      this.#db.run(
        `INSERT INTO approval_requests (id, session_id, call_id, surface, person, digest, tool, shown, findings, sources,
           asked_at, state, host, pid, process_start) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 'pending', ?, ?, ?)`,
        id,
        question.sessionId,
        question.callId ?? null,
        question.surface,
        question.person,
        question.digest,
        question.tool,
        question.shown,
        JSON.stringify(question.findings),
        JSON.stringify(question.sources),
        this.#now(),
        host,
        pid,
        start,
      );
      return id;
    });
  }

  answer({ id, sessionId, surface, person, digest, choice }: ApprovalAnswer): Promise<boolean> {
    return this.#db.write(SAVING, () => {
      if (!hasTable(this.#db, requests)) return false;
      const { changes } = this.#db.run(
        `UPDATE approval_requests SET state = ?, answered_by = ?, answered_at = ?
           WHERE id = ? AND state = 'pending' AND session_id = ? AND surface = ? AND person IS ? AND digest = ?`,
        choice,
        choice === 'timeout' ? null : (person ?? surface),
        this.#now(),
        id,
        sessionId,
        surface,
        person,
        digest,
      );
      return changes > 0;
    });
  }

  async settleLost(sessionId: string): Promise<readonly LostQuestion[]> {
    // Looked at first: a store that is only read has nothing to settle, and cannot.
    const lost = await this.#db.read(READING, () => this.#abandoned(sessionId));
    if (lost.length === 0) return [];
    return await this.#db.write(SAVING, () => {
      const sql = "UPDATE approval_requests SET state = 'lost', answered_at = ? WHERE id = ? AND state = 'pending'";
      const settled = lost.filter((row) => this.#db.run(sql, this.#now(), text(row, 'id')).changes > 0);
      return settled.map((row) => ({
        callId: textOrNull(row, 'call_id') ?? undefined,
        tool: text(row, 'tool'),
        shown: text(row, 'shown'),
        askedAt: number(row, 'asked_at') * 1000,
      }));
    });
  }

  /** Open questions of processes that are gone. */
  #abandoned(sessionId: string): readonly Row[] {
    if (!hasTable(this.#db, requests)) return [];
    const open = this.#db.all(
      "SELECT * FROM approval_requests WHERE session_id = ? AND state = 'pending' ORDER BY asked_at",
      sessionId,
    );
    const me = this.#me();
    const heldElsewhere = open.length > 0 && isHeldElsewhere(this.#db, sessionId, this.#now());
    return open.filter((row) => {
      const asker = { host: text(row, 'host'), pid: number(row, 'pid'), start: textOrNull(row, 'process_start') };
      // Of another machine only the lease tells whether it is still there.
      return asker.host === me.host ? isDead(asker, me) : !heldElsewhere;
    });
  }

  #forgetOld(): void {
    const settled = "state <> 'pending'";
    this.#db.run(`DELETE FROM approval_requests WHERE asked_at < ? AND ${settled}`, this.#now() - KEPT_SECONDS);
    this.#db.run(
      `DELETE FROM approval_requests WHERE ${settled} AND id NOT IN
         (SELECT id FROM approval_requests ORDER BY asked_at DESC LIMIT ${MAX_ROWS})`,
    );
  }

  #me(): ProcessIdentity {
    this.#self ??= ownProcess();
    return this.#self;
  }
}
