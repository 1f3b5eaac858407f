/** Responses that can be asked for again and gone on from, in the database of the original. */
import { closeSync, openSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import { isJsonObject, type JsonObject, parseJson } from '../../../lib/json.ts';
import type { Log } from '../../../lib/log.ts';
import type { HistoryMessage } from '../../../llm/message.ts';
import { Connection } from '../../../sessions/sqlite/connection.ts';
import { useWriteAheadLog } from '../../../lib/sqlite.ts';
import { wellFormedJson } from '../../../sessions/well-formed.ts';
import { readHistory } from './stored-history.ts';

export interface StoredResponse {
  /** As it was answered. */
  readonly response: JsonObject;
  /** All that was said until then, tool calls and results too. */
  readonly history: readonly HistoryMessage[];
  readonly instructions: string | null;
  readonly sessionId: string;
}

const maxResponses = 100;
const attempted = 'use the stored responses';

const stored = z.looseObject({
  response: z.record(z.string(), z.json()),
  conversation_history: z.array(z.json()).catch([]),
  instructions: z.string().nullish(),
  session_id: z.string().nullish(),
});

/** Keeps the hundred that were asked for last. */
export class ResponseStore {
  readonly #db: Connection;

  /** In memory when the file cannot be had; the log then says so. */
  static async open(homePath: string, log: Log): Promise<ResponseStore> {
    const path = join(homePath, 'response_store.db');
    try {
      closeSync(openSync(path, 'a', 0o600));
      return await ResponseStore.#openAt(path);
    } catch (error) {
      log.warning(`responses are kept in memory alone: ${path} cannot be used`, error);
      return await ResponseStore.#openAt(':memory:');
    }
  }

  static async #openAt(path: string): Promise<ResponseStore> {
    const db = await Connection.open(path);
    await db.outsideTransaction(attempted, () => useWriteAheadLog(db));
    await db.write(attempted, () =>
      db.exec(`CREATE TABLE IF NOT EXISTS responses (response_id TEXT PRIMARY KEY, data TEXT NOT NULL, accessed_at REAL NOT NULL);
        CREATE TABLE IF NOT EXISTS conversations (name TEXT PRIMARY KEY, response_id TEXT NOT NULL)`),
    );
    // Nobody works on them any more: whoever made them has died.
    await db.write(attempted, () =>
      db.run(`UPDATE responses SET data = json_set(data, '$.response.status', 'incomplete')
        WHERE json_valid(data) AND json_extract(data, '$.response.status') = 'in_progress'`),
    );
    return new ResponseStore(db);
  }

  private constructor(db: Connection) {
    this.#db = db;
  }

  async get(id: string): Promise<StoredResponse | undefined> {
    return await this.#db.write(attempted, () => {
      const row = this.#db.get('SELECT data FROM responses WHERE response_id = ?', id);
      if (row === undefined) return undefined;
      this.#db.run('UPDATE responses SET accessed_at = ? WHERE response_id = ?', now(), id);
      return read(row['data']);
    });
  }

  /** `conversation` leads to it from now on. */
  async put(
    id: string,
    { response, history, instructions, sessionId }: StoredResponse,
    conversation?: string,
  ): Promise<void> {
    const data = wellFormedJson({ response, conversation_history: history, instructions, session_id: sessionId });
    await this.#db.write(attempted, () => {
      this.#db.run(
        `INSERT INTO responses (response_id, data, accessed_at) VALUES (?, ?, ?)
          ON CONFLICT(response_id) DO UPDATE SET data = excluded.data, accessed_at = excluded.accessed_at`,
        id,
        data,
        now(),
      );
      if (conversation !== undefined) {
        this.#db.run(
          `INSERT INTO conversations (name, response_id) VALUES (?, ?)
            ON CONFLICT(name) DO UPDATE SET response_id = excluded.response_id`,
          conversation,
          id,
        );
      }
      this.#evict();
    });
  }

  async delete(id: string): Promise<boolean> {
    return await this.#db.write(attempted, () => {
      const { changes } = this.#db.run('DELETE FROM responses WHERE response_id = ?', id);
      this.#forgetNames();
      return changes > 0;
    });
  }

  /** Id of the newest response of a conversation. */
  async latestOf(conversation: string): Promise<string | undefined> {
    const row = await this.#db.read(attempted, () =>
      this.#db.get('SELECT response_id FROM conversations WHERE name = ?', conversation),
    );
    const id = row?.['response_id'];
    return typeof id === 'string' ? id : undefined;
  }

  async close(): Promise<void> {
    await this.#db.close();
  }

  #evict(): void {
    const { changes } = this.#db.run(
      `DELETE FROM responses WHERE response_id NOT IN
        (SELECT response_id FROM responses ORDER BY accessed_at DESC, rowid DESC LIMIT ?)`,
      maxResponses,
    );
    if (changes > 0) this.#forgetNames();
  }

  #forgetNames(): void {
    this.#db.run('DELETE FROM conversations WHERE response_id NOT IN (SELECT response_id FROM responses)');
  }
}

/** Unix seconds. */
function now(): number {
  return (performance.timeOrigin + performance.now()) / 1000;
}

function read(data: unknown): StoredResponse | undefined {
  const value = typeof data === 'string' ? parseJson(data) : undefined;
  if (!isJsonObject(value)) return undefined;
  // Written by older programs as the response alone.
  const { data: entry } = stored.safeParse('response' in value ? value : { response: value });
  if (entry === undefined) return undefined;
  return {
    response: entry.response,
    history: readHistory(entry.conversation_history),
    instructions: entry.instructions ?? null,
    sessionId: entry.session_id ?? '',
  };
}
