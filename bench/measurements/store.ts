/** Searching and continuing conversations in a store of 100,000 messages. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { SessionStore } from '../../src/sessions/session-store.ts';
import { openSessionStore } from '../../src/sessions/open-store.ts';
import type { Figure, Measurement } from '../parts/measurement.ts';
import { conversation, searchWords } from '../parts/prose.ts';
import { inMs, median, quantile } from '../parts/statistics.ts';

const sessions = 100;
const messagesEach = 1000;
const searches = 200;

export const store: Measurement = {
  name: 'store',
  async measure() {
    const dir = mkdtempSync(join(tmpdir(), 'hermes-bench-store-'));
    try {
      const path = join(dir, 'state.db');
      await fill(path);
      return [...(await measureSearch(path)), await measureResume(path)];
    } finally {
      rmSync(dir, { recursive: true, force: true });
    }
  },
};

async function fill(path: string): Promise<void> {
  const opened = await openSessionStore({ kind: 'sqlite', path });
  for (let session = 0; session < sessions; session += 1) {
    const id = sessionId(session);
    await opened.sessions.create({ id, source: 'cli', model: 'fake-model' });
    await opened.messages.rewrite(id, conversation(session, messagesEach));
  }
  await opened.close();
}

async function measureSearch(path: string): Promise<Figure[]> {
  const opened = await openSessionStore({ kind: 'sqlite', path });
  const times: number[] = [];
  let found = 0;
  for (let seed = 0; seed < searches; seed += 1) {
    const query = searchWords(seed);
    const startedAt = performance.now();
    const hits = await opened.search.messages({ query, limit: 20 });
    times.push(performance.now() - startedAt);
    if (hits.length > 0) found += 1;
  }
  await opened.close();
  if (found < searches / 2) throw new Error(`only ${found} of ${searches} searches found anything`);
  const detail = `${searches} queries, ${found} with hits, median ${inMs(median(times))}`;
  return [{ what: 'search 100,000 messages, p95', value: quantile(times, 0.95), unit: 'ms', mark: 20, detail }];
}

/** As on `hermes --resume`: open the store, find the session, read its history. */
async function measureResume(path: string): Promise<Figure> {
  const times: number[] = [];
  for (let round = 0; round < 15; round += 1) {
    const startedAt = performance.now();
    const opened = await openSessionStore({ kind: 'sqlite', path });
    await readConversation(opened, sessionId(round * 3));
    times.push(performance.now() - startedAt);
    await opened.close();
  }
  const detail = 'open, resolve, read the history';
  return { what: `resume ${messagesEach} messages, median`, value: median(times), unit: 'ms', mark: 50, detail };
}

async function readConversation(opened: SessionStore, id: string): Promise<void> {
  const session = await opened.sessions.resolve(id);
  const history = await opened.messages.conversation(session?.id ?? '');
  if (history.length !== messagesEach) throw new Error(`expected ${messagesEach} messages, read ${history.length}`);
}

function sessionId(index: number): string {
  return `20260101_000000_${index.toString(16).padStart(6, '0')}`;
}
