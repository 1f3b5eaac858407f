/** Looks into a home's `state.db` with nothing but SQLite, so that the store is not its own witness. */
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { Place } from './hermes-process.ts';

export interface StoredRow {
  readonly id: number;
  readonly session_id: string;
  readonly role: string;
  readonly content: string | null;
  readonly tool_calls: string | null;
  readonly tool_call_id: string | null;
  readonly tool_name: string | null;
}

export interface StoredSession {
  readonly id: string;
  readonly source: string;
  readonly model: string | null;
  readonly system_prompt: string | null;
  readonly title: string | null;
  readonly message_count: number;
  readonly tool_call_count: number;
  readonly end_reason: string | null;
}

export function storedMessages(home: string): StoredRow[] {
  return query<StoredRow>(home, 'SELECT * FROM messages ORDER BY id');
}

export function storedSessions(home: string): StoredSession[] {
  return query<StoredSession>(home, 'SELECT * FROM sessions ORDER BY started_at');
}

/** The only session of a home; throws when there is another number of them. */
export function onlySession({ home }: Place): StoredSession {
  const sessions = storedSessions(home);
  const [only] = sessions;
  if (only === undefined || sessions.length > 1) throw new Error(`${sessions.length} sessions instead of one`);
  return only;
}

/** `ok` when the database is sound. */
export function integrity(home: string): string {
  return query<{ integrity_check: string }>(home, 'PRAGMA integrity_check')
    .map((row) => row.integrity_check)
    .join('\n');
}

function query<Row>(home: string, sql: string): Row[] {
  const db = new DatabaseSync(join(home, 'state.db'));
  try {
    return db.prepare(sql).all() as unknown as Row[];
  } finally {
    db.close();
  }
}
