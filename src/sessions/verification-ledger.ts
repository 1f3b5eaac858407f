/** What is known of checks: `verification_evidence.db` of the home, which the original reads and writes as well. */
import { chmodSync } from 'node:fs';
import * as z from 'zod';
import { UserError } from '../lib/errors.ts';
import { parseJson } from '../lib/json.ts';
import { Connection, type Row } from './sqlite/connection.ts';

/** A check that was run. */
export interface VerificationEvent {
  readonly cwd: string;
  readonly command: string;
  readonly canonical: string;
  readonly kind: string;
  readonly scope: string;
  readonly exitCode: number;
  /** At most 2,000 characters of it are kept. */
  readonly output: string;
}

/** Whose work it is about: one session's in one project. */
export interface VerificationPlace {
  readonly sessionId: string;
  readonly root: string;
}

export interface VerificationState {
  readonly status: 'unverified' | 'passed' | 'failed' | 'stale';
  readonly last?: { readonly canonical: string; readonly output: string };
  /** Changed since the last check that passed; absolute. */
  readonly changedPaths: readonly string[];
}

const version = 1;
const maxSummary = 2000;
const maxPaths = 200;
const keptOfPlace = 100;
const keptInAll = 10_000;
const keptDays = 30;

const tables = `
CREATE TABLE IF NOT EXISTS meta (key TEXT PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS verification_events (
  id INTEGER PRIMARY KEY AUTOINCREMENT, created_at TEXT NOT NULL, session_id TEXT NOT NULL, cwd TEXT NOT NULL,
  root TEXT NOT NULL, command TEXT NOT NULL, canonical_command TEXT NOT NULL, kind TEXT NOT NULL, scope TEXT NOT NULL,
  status TEXT NOT NULL, exit_code INTEGER NOT NULL, output_summary TEXT NOT NULL);
CREATE INDEX IF NOT EXISTS idx_verification_events_session_root ON verification_events(session_id, root, id DESC);
CREATE TABLE IF NOT EXISTS verification_state (
  session_id TEXT NOT NULL, root TEXT NOT NULL, last_event_id INTEGER, last_edit_at TEXT,
  changed_paths_json TEXT NOT NULL DEFAULT '[]', PRIMARY KEY (session_id, root));`;

const pathsShape = z.array(z.string()).catch([]);

export class VerificationLedger {
  readonly #db: Connection;
  readonly #now: () => Date;

  private constructor(db: Connection, now: () => Date) {
    this.#db = db;
    this.#now = now;
  }

  /** Opens or creates the file. Throws `UserError` when it cannot be used, or was written by a later version. */
  static async open(path: string, now: () => Date = () => new Date()): Promise<VerificationLedger> {
    const db = await Connection.open(path);
    try {
      await db.outsideTransaction('open the record of checks', () => db.exec('PRAGMA journal_mode = WAL'));
      await db.write('open the record of checks', () => {
        db.exec(tables);
        db.run("INSERT OR IGNORE INTO meta(key, value) VALUES ('schema_version', ?)", String(version));
        const found = db.get("SELECT value FROM meta WHERE key = 'schema_version'")?.['value'];
        if (Number(found) > version) throw new UserError(`${path} was written by a later version of this program.`);
      });
      chmodSync(path, 0o600);
      return new VerificationLedger(db, now);
    } catch (error) {
      db.abandon();
      throw error;
    }
  }

  /** A check that passed settles all changes before it. */
  async recordCheck({ sessionId, root }: VerificationPlace, event: VerificationEvent): Promise<void> {
    const now = this.#now();
    const { cwd, command, canonical, kind, scope, exitCode, output } = event;
    const passed = exitCode === 0;
    const summary = output.slice(-maxSummary).toWellFormed();
    await this.#db.write('record a check', () => {
      const { id } = this.#db.run(
        `INSERT INTO verification_events(created_at, session_id, cwd, root, command, canonical_command, kind, scope,
           status, exit_code, output_summary) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
        stamp(now),
        sessionId,
        cwd,
        root,
        command,
        canonical,
        kind,
        scope,
        passed ? 'passed' : 'failed',
        exitCode,
        summary,
      );
      this.#db.run(
        `INSERT INTO verification_state(session_id, root, last_event_id, last_edit_at, changed_paths_json)
         VALUES (?, ?, ?, NULL, '[]')
         ON CONFLICT(session_id, root) DO UPDATE SET last_event_id = excluded.last_event_id, last_edit_at = NULL
           ${passed ? ", changed_paths_json = '[]'" : ''}`,
        sessionId,
        root,
        id,
      );
      this.#bound({ sessionId, root }, now);
    });
  }

  /** What was checked before is stale from now on. */
  async recordEdit(place: VerificationPlace, paths: readonly string[]): Promise<void> {
    await this.#db.write('record a change', () => {
      const known = readPaths(this.#row(place));
      const changed = JSON.stringify([...new Set([...known, ...paths])].slice(-maxPaths));
      this.#db.run(
        `INSERT INTO verification_state(session_id, root, last_edit_at, changed_paths_json) VALUES (?, ?, ?, ?)
         ON CONFLICT(session_id, root) DO UPDATE SET last_edit_at = excluded.last_edit_at,
           changed_paths_json = excluded.changed_paths_json`,
        place.sessionId,
        place.root,
        stamp(this.#now()),
        changed,
      );
    });
  }

  async state(place: VerificationPlace): Promise<VerificationState> {
    return await this.#db.read('read the record of checks', () => {
      const row = this.#row(place);
      const changedPaths = readPaths(row);
      const event = this.#db.get('SELECT * FROM verification_events WHERE id = ?', row?.['last_event_id'] ?? null);
      if (event === undefined) return { status: 'unverified', changedPaths };
      const last = { canonical: String(event['canonical_command']), output: String(event['output_summary']) };
      const status = event['status'] === 'passed' ? 'passed' : 'failed';
      return { status: row?.['last_edit_at'] === null ? status : 'stale', last, changedPaths };
    });
  }

  /** A conversation that goes on in another session keeps what is known of it. */
  async carry(from: string, to: string): Promise<void> {
    await this.#db.write('carry the record of checks on', () => {
      this.#db.run(
        `INSERT OR IGNORE INTO verification_state(session_id, root, last_event_id, last_edit_at, changed_paths_json)
         SELECT ?, root, last_event_id, last_edit_at, changed_paths_json FROM verification_state WHERE session_id = ?`,
        to,
        from,
      );
    });
  }

  async close(): Promise<void> {
    await this.#db.close();
  }

  #row({ sessionId, root }: VerificationPlace): Row | undefined {
    return this.#db.get('SELECT * FROM verification_state WHERE session_id = ? AND root = ?', sessionId, root);
  }

  #bound({ sessionId, root }: VerificationPlace, now: Date): void {
    const inAll = 'SELECT id FROM verification_events';
    const newest = 'ORDER BY id DESC LIMIT 1 OFFSET ?';
    this.#db.run(
      `DELETE FROM verification_events WHERE session_id = ? AND root = ?
         AND id <= (${inAll} WHERE session_id = ? AND root = ? ${newest})`,
      sessionId,
      root,
      sessionId,
      root,
      keptOfPlace,
    );
    const oldest = stamp(new Date(now.getTime() - keptDays * 86_400_000));
    this.#db.run('DELETE FROM verification_events WHERE created_at < ?', oldest);
    this.#db.run(`DELETE FROM verification_events WHERE id <= (${inAll} ${newest})`, keptInAll);
    this.#db.run('DELETE FROM verification_state WHERE last_edit_at < ? AND last_event_id IS NULL', oldest);
  }
}

/** As Python writes times in UTC. */
function stamp(time: Date): string {
  return time.toISOString().replace('Z', '000+00:00');
}

function readPaths(row: Row | undefined): readonly string[] {
  return pathsShape.parse(parseJson(String(row?.['changed_paths_json'] ?? '[]')));
}
