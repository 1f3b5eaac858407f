/** The columns `sessions.handoff_…`, in transactions. */
import { type Handoff, type Handoffs, handoffStates, type TakenOver } from '../handoffs.ts';
import { wellFormed } from '../well-formed.ts';
import { READING, SAVING } from './attempts.ts';
import { inbox, type SqliteChatInbox } from './chat-inbox.ts';
import { routing, type SqliteChatRoutes } from './chat-routes.ts';
import { text, textOrNull } from './columns.ts';
import type { Connection, Row } from './connection.ts';
import type { DurableWrites } from './durable-writes.ts';
import { goesOn, reopenSession } from './session-row.ts';

const maxErrorChars = 500;
const columns = 'id, handoff_state, handoff_platform, handoff_error';

/** Where a chat has it. */
interface HandoffChats {
  readonly routes: SqliteChatRoutes;
  readonly inbox: SqliteChatInbox;
}

export class SqliteHandoffs implements Handoffs {
  readonly #db: Connection;
  readonly #writes: DurableWrites;
  readonly #chats: HandoffChats;
  readonly #now: () => number;

  constructor(db: Connection, writes: DurableWrites, chats: HandoffChats, now: () => number) {
    this.#db = db;
    this.#writes = writes;
    this.#chats = chats;
    this.#now = now;
  }

  request(sessionId: string, platform: string): Promise<boolean> {
    return this.#change(
      `handoff_state = 'pending', handoff_platform = ?1, handoff_error = NULL
       WHERE id = ?2 AND (handoff_state IS NULL OR handoff_state IN ('completed', 'failed'))`,
      platform,
      sessionId,
    );
  }

  get(sessionId: string): Promise<Handoff | undefined> {
    return this.#db.read(READING, () => {
      const row = this.#db.get(`SELECT ${columns} FROM sessions WHERE id = ?`, sessionId);
      return row && read(row);
    });
  }

  pending(): Promise<readonly Handoff[]> {
    const sql = `SELECT ${columns} FROM sessions WHERE handoff_state = 'pending' ORDER BY started_at LIMIT 100`;
    return this.#db.read(READING, () => this.#db.all(sql).flatMap((row) => read(row) ?? []));
  }

  claim(sessionId: string): Promise<boolean> {
    return this.#change("handoff_state = 'running' WHERE id = ?1 AND handoff_state = 'pending'", sessionId);
  }

  complete(sessionId: string, { route, before, message }: TakenOver): Promise<boolean> {
    const completed = `UPDATE sessions SET handoff_state = 'completed', handoff_error = NULL
      WHERE id = ? AND handoff_state = 'running'`;
    const switched = `UPDATE sessions SET ended_at = ?, end_reason = 'session_switch' WHERE id = ? AND ${goesOn}`;
    return this.#writes.write([routing, inbox], () => {
      if (this.#db.run(completed, sessionId).changes === 0) return false;
      reopenSession(this.#db, sessionId);
      this.#chats.routes.put(route);
      if (before !== undefined && before !== sessionId) this.#db.run(switched, this.#now(), before);
      this.#chats.inbox.put(message);
      return true;
    });
  }

  fail(sessionId: string, error: string): Promise<boolean> {
    return this.#change(
      "handoff_state = 'failed', handoff_error = ?1 WHERE id = ?2 AND handoff_state IN ('pending', 'running')",
      kept(error),
      sessionId,
    );
  }

  failRunning(error: string): Promise<number> {
    const sql = "UPDATE sessions SET handoff_state = 'failed', handoff_error = ? WHERE handoff_state = 'running'";
    return this.#db.write(SAVING, () => this.#db.run(sql, kept(error)).changes);
  }

  #change(set: string, ...values: readonly string[]): Promise<boolean> {
    return this.#db.write(SAVING, () => this.#db.run(`UPDATE sessions SET ${set}`, ...values).changes > 0);
  }
}

/** Undefined where there is none, and for a state that a newer version may know. */
function read(row: Row): Handoff | undefined {
  const state = handoffStates.find((known) => known === row['handoff_state']);
  if (state === undefined) return undefined;
  const [platform, error] = [textOrNull(row, 'handoff_platform') ?? '', textOrNull(row, 'handoff_error')];
  return { sessionId: text(row, 'id'), platform, state, error: error ?? undefined };
}

function kept(error: string): string {
  return wellFormed(error.slice(0, maxErrorChars));
}
