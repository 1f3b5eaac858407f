/**
 * What `session_search` does, in a store of 1,000,000 messages. Filling it takes more than a minute, so this is
 * measured only when it is asked for by name.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { openSessionStore } from '../../src/sessions/open-store.ts';
import { createSessionHistory } from '../../src/tools/session-search/session-history.ts';
import type { Figure, Measurement } from '../parts/measurement.ts';
import { searchWords, shortMessages } from '../parts/prose.ts';
import { inMs, median, quantile } from '../parts/statistics.ts';

const sessions = 2000;
const messagesEach = 500;
const searches = 200;

export const recall: Measurement = {
  name: 'recall',
  onlyByName: true,
  async measure() {
    const dir = mkdtempSync(join(tmpdir(), 'hermes-bench-recall-'));
    try {
      const path = join(dir, 'state.db');
      const startedAt = performance.now();
      await fill(path);
      const seconds = (performance.now() - startedAt) / 1000;
      return await measureSearch(path, `filled in ${seconds.toFixed(0)} s`);
    } finally {
      rmSync(dir, { recursive: true, force: true });
    }
  },
};

/** Through the store's own tables and triggers, in few transactions. */
async function fill(path: string): Promise<void> {
  await (await openSessionStore({ kind: 'sqlite', path })).close();
  const db = new DatabaseSync(path);
  db.exec('PRAGMA synchronous = OFF; PRAGMA cache_size = -200000');
  const addSession = db.prepare('INSERT INTO sessions (id, source, started_at, message_count) VALUES (?, ?, ?, ?)');
  const addMessage = db.prepare('INSERT INTO messages (session_id, role, content, timestamp) VALUES (?, ?, ?, ?)');
  for (let session = 0; session < sessions; session += 1) {
    if (session % 100 === 0) db.exec('BEGIN');
    const id = `20260101_000000_${session.toString(16).padStart(6, '0')}`;
    const startedAt = 1_767_225_600 + session * 3600;
    addSession.run(id, 'cli', startedAt, messagesEach);
    for (const [index, { role, content }] of shortMessages(session, messagesEach).entries()) {
      addMessage.run(id, role, content, startedAt + index);
    }
    if (session % 100 === 99) db.exec('COMMIT');
  }
  db.close();
}

async function measureSearch(path: string, filling: string): Promise<Figure[]> {
  const store = await openSessionStore({ kind: 'sqlite', path });
  const history = createSessionHistory(store, { userId: null, currentSession: () => undefined });
  const times: number[] = [];
  let found = 0;
  for (let seed = 0; seed < searches; seed += 1) {
    const startedAt = performance.now();
    const hits = await history.search({ query: searchWords(seed), limit: 3, roles: ['user', 'assistant'] });
    times.push(performance.now() - startedAt);
    if (hits.length > 0) found += 1;
  }
  await store.close();
  if (found < searches / 2) throw new Error(`only ${found} of ${searches} searches found anything`);
  const detail = `${filling}, ${searches} queries, ${found} with hits, median ${inMs(median(times))}`;
  return [{ what: 'recall from 1,000,000 messages, p95', value: quantile(times, 0.95), unit: 'ms', mark: 50, detail }];
}
