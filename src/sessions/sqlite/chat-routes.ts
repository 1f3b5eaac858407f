/** The table `gateway_routing`, in transactions. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { JsonObject } from '../../lib/json.ts';
import type { ChatMove } from '../chat-move.ts';
import type { ChatRoutes, RouteEntry } from '../chat-routes.ts';
import { newRoute, originPart, readRoute, writeRoute } from '../route-entry.ts';
import { READING, SAVING } from './attempts.ts';
import { number, text, textOrNull } from './columns.ts';
import type { Connection, Row } from './connection.ts';
import type { DurableWrites } from './durable-writes.ts';
import { moveChat, movedTables } from './move-chat.ts';
import { ensureFitting, type OwnTable } from './own-tables.ts';
import { readMirrorEntries, writeMirror } from './routing-mirror.ts';
import { routingScope } from './routing-scope.ts';
import { tables } from './schema.ts';
import { goesOn, reopenSession } from './session-row.ts';
import { strayedTopics } from './strayed-topics.ts';
import { bindTopic, freeTopic, topicOfRoute } from './topic-tables.ts';

export const routing: OwnTable = { name: 'gateway_routing', columns: tables.gateway_routing, indexes: [] };

/** In `state_meta`, with the scope behind it: what stood elsewhere was taken over. */
const TAKEN_OVER = 'gateway_routing_taken_over:';

/** So many are read before something else may happen. */
const pageSize = 100;

const hasMessages = `(COALESCE(message_count, 0) > 0
  OR EXISTS (SELECT 1 FROM messages WHERE messages.session_id = sessions.id))`;
const newest = `${goesOn} AND ${hasMessages} ORDER BY started_at DESC LIMIT 1`;
const ofKey = `SELECT id, session_key, started_at FROM sessions WHERE session_key = ? AND source = ? AND ${newest}`;
const ofPeer = `SELECT id, session_key, started_at FROM sessions WHERE source = ?
  AND user_id IS ? AND chat_id IS ? AND chat_type IS ? AND thread_id IS ? AND ${newest}`;

export class SqliteChatRoutes implements ChatRoutes {
  readonly #db: Connection;
  readonly #writes: DurableWrites;
  readonly #clock: { now(): number };
  readonly #scope: string;

  constructor(db: Connection, writes: DurableWrites, clock: { now(): number }) {
    this.#db = db;
    this.#writes = writes;
    this.#clock = clock;
    this.#scope = routingScope(db.path);
  }

  async putRight(): Promise<void> {
    await this.#db.settled();
    // Looked at first: a store that is only read has nothing to be put right, and cannot.
    const isRight = await this.#db.read(
      READING,
      () => this.#isTakenOver() && this.#ended().length + this.#strayed().length === 0,
    );
    if (isRight) return;
    const mirror = readMirrorEntries(join(this.#scope, 'sessions.json'));
    await this.#db.write(SAVING, () => {
      ensureFitting(this.#db, routing);
      this.#takeOver(mirror);
      for (const row of this.#ended()) this.#putRight(row);
      for (const entry of this.#strayed()) {
        reopenSession(this.#db, entry.session_id);
        this.put(entry);
      }
    });
  }

  get(sessionKey: string): Promise<RouteEntry | undefined> {
    const sql = 'SELECT entry_json FROM gateway_routing WHERE scope = ? AND session_key = ?';
    return this.#db.read(READING, () => {
      const row = this.#db.get(sql, this.#scope, sessionKey);
      return row && readRoute(sessionKey, text(row, 'entry_json'));
    });
  }

  async *each(): AsyncGenerator<RouteEntry, void> {
    const sql = `SELECT session_key, entry_json FROM gateway_routing WHERE scope = ? AND session_key > ?
      ORDER BY session_key LIMIT ?`;
    for (let after: string | undefined = ''; after !== undefined; await nextTurn()) {
      const from: string = after;
      const rows = await this.#db.read(READING, () => this.#db.all(sql, this.#scope, from, pageSize));
      yield* entriesOf(rows);
      const last = rows.length < pageSize ? undefined : rows.at(-1);
      after = last && text(last, 'session_key');
    }
  }

  save(entries: readonly RouteEntry[]): Promise<void> {
    return this.#writes.write([routing], () => {
      for (const entry of entries) this.put(entry);
    });
  }

  /** Inside a write to `routing`. */
  put(entry: RouteEntry): void {
    const sql = 'SELECT entry_json FROM gateway_routing WHERE scope = ? AND session_key = ?';
    const before = this.#db.get(sql, this.#scope, entry.session_key);
    this.#db.run(
      `INSERT INTO gateway_routing (scope, session_key, entry_json, updated_at) VALUES (?, ?, ?, ?)
         ON CONFLICT(scope, session_key) DO UPDATE SET entry_json = excluded.entry_json, updated_at = excluded.updated_at`,
      this.#scope,
      entry.session_key,
      writeRoute(entry, before && text(before, 'entry_json')),
      this.#now(),
    );
    const topic = topicOfRoute(entry);
    if (topic !== undefined) bindTopic(this.#db, topic, this.#now());
  }

  move(move: ChatMove): Promise<readonly string[]> {
    return this.#writes.write([routing, ...movedTables], () =>
      moveChat(this.#db, this.#scope, move, this.#clock.now()),
    );
  }

  remove(sessionKeys: readonly string[]): Promise<void> {
    return this.#writes.write([routing], () => {
      for (const key of sessionKeys) this.#delete(key);
    });
  }

  async mirror(): Promise<void> {
    // Behind all that was asked for before.
    await this.#writes.write([routing], () => undefined);
    const sql = 'SELECT session_key, entry_json FROM gateway_routing WHERE scope = ? ORDER BY session_key';
    const rows = await this.#db.read(READING, () => this.#db.all(sql, this.#scope));
    writeMirror(
      join(this.#scope, 'sessions.json'),
      rows.map((row) => [text(row, 'session_key'), text(row, 'entry_json')]),
    );
  }

  /** Those whose session has ended. */
  #ended(): readonly Row[] {
    return this.#db.all(
      `SELECT r.session_key, r.entry_json FROM gateway_routing r JOIN sessions s
         ON s.id = CASE WHEN json_valid(r.entry_json) THEN json_extract(r.entry_json, '$.session_id') END
         WHERE r.scope = ? AND s.end_reason IS NOT NULL ORDER BY r.session_key`,
      this.#scope,
    );
  }

  #strayed(): readonly RouteEntry[] {
    return strayedTopics(this.#db, this.#scope, this.#clock.now());
  }

  #isTakenOver(): boolean {
    return this.#db.get('SELECT 1 FROM state_meta WHERE key = ?', TAKEN_OVER + this.#scope) !== undefined;
  }

  #takeOver(mirror: readonly (readonly [string, JsonObject])[]): void {
    if (this.#isTakenOver()) return;
    this.#takeOverMoved();
    const sql = `INSERT INTO gateway_routing (scope, session_key, entry_json, updated_at) VALUES (?, ?, ?, ?)
      ON CONFLICT(scope, session_key) DO NOTHING`;
    for (const [key, value] of mirror) {
      const stored = JSON.stringify(value);
      if (readRoute(key, stored) !== undefined) this.#db.run(sql, this.#scope, key, stored, this.#now());
    }
    this.#db.run("INSERT OR REPLACE INTO state_meta (key, value) VALUES (?, '1')", TAKEN_OVER + this.#scope);
  }

  /** A home that was moved has its index under the path where it stood. */
  #takeOverMoved(): void {
    const scopes = this.#db.all(
      `SELECT scope FROM gateway_routing WHERE scope NOT IN ('', ?) GROUP BY scope ORDER BY max(updated_at) DESC`,
      this.#scope,
    );
    const gone = scopes.map((row) => text(row, 'scope')).filter((scope) => !existsSync(scope));
    for (const scope of gone) {
      this.#db.run(
        `INSERT OR IGNORE INTO gateway_routing (scope, session_key, entry_json, updated_at)
           SELECT ?, session_key, entry_json, updated_at FROM gateway_routing WHERE scope = ?`,
        this.#scope,
        scope,
      );
    }
  }

  #putRight(row: Row): void {
    const key = text(row, 'session_key');
    const entry = readRoute(key, text(row, 'entry_json'));
    if (entry === undefined) return;
    const session = this.#goesOnIn(entry);
    if (session === undefined) {
      this.#delete(key);
      return;
    }
    const id = text(session, 'id');
    reopenSession(this.#db, id);
    if (id === entry.session_id) return;
    const { session_key, display_name, platform, chat_type, origin, model_override } = entry;
    const times = { startedAt: number(session, 'started_at') * 1000, now: this.#clock.now() };
    this.put({
      ...newRoute({ session_key, session_id: id, display_name, platform, chat_type }, times),
      ...(model_override !== undefined && { model_override }),
      ...(origin !== undefined && { origin }),
    });
  }

  /** The newest session of the chat that can go on. */
  #goesOnIn({ session_key, origin }: RouteEntry): Row | undefined {
    const platform = originPart(origin, 'platform');
    if (platform === null) return undefined;
    const found = this.#db.get(ofKey, session_key, platform);
    const chat = originPart(origin, 'chat_id');
    const type = originPart(origin, 'chat_type');
    if (found !== undefined || chat === null || type === null) return found;
    const ofChat = this.#db.get(
      ofPeer,
      platform,
      originPart(origin, 'user_id'),
      chat,
      type,
      originPart(origin, 'thread_id'),
    );
    const theirs = ofChat && textOrNull(ofChat, 'session_key');
    // The same chat may be served for another profile, whose conversations are its own.
    return theirs == null || profileOf(theirs) === profileOf(session_key) ? ofChat : undefined;
  }

  #delete(sessionKey: string): void {
    this.#db.run('DELETE FROM gateway_routing WHERE scope = ? AND session_key = ?', this.#scope, sessionKey);
    freeTopic(this.#db, sessionKey);
  }

  #now(): number {
    return this.#clock.now() / 1000;
  }
}

function entriesOf(rows: readonly Row[]): readonly RouteEntry[] {
  return rows.flatMap((row) => readRoute(text(row, 'session_key'), text(row, 'entry_json')) ?? []);
}

/** `agent:<profile>:…` */
function profileOf(sessionKey: string): string | undefined {
  return sessionKey.split(':')[1];
}
