/** The table `state_meta`. */
import type { StoreMeta } from '../store-meta.ts';
import { READING, SAVING } from './attempts.ts';
import { text } from './columns.ts';
import type { Connection } from './connection.ts';

export class SqliteMeta implements StoreMeta {
  readonly #db: Connection;

  constructor(db: Connection) {
    this.#db = db;
  }

  get(key: string): Promise<string | undefined> {
    return this.#db.read(READING, () => {
      const row = this.#db.get('SELECT value FROM state_meta WHERE key = ?', key);
      return row && text(row, 'value');
    });
  }

  async set(key: string, value: string): Promise<void> {
    const sql =
      'INSERT INTO state_meta (key, value) VALUES (?, ?) ON CONFLICT(key) DO UPDATE SET value = excluded.value';
    await this.#db.write(SAVING, () => this.#db.run(sql, key, value));
  }
}
