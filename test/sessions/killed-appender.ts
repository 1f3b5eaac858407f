/** A process that is killed while it appends, as often as asked: it loses and doubles nothing it was promised. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { TestContext } from 'node:test';
import { fileURLToPath } from 'node:url';
import { query, temporaryStore } from './support.ts';

export const program = fileURLToPath(new URL('append-forever.ts', import.meta.url));

export async function surviveKills(t: TestContext, kills: number): Promise<void> {
  const store = await temporaryStore(t);
  const promised = new Set<number>();
  for (let kill = 0; kill < kills; kill += 1) {
    const first = kill * 100_000;
    // From the very first append to deep inside a checkpoint.
    for (const number of await appendUntilKilled(store.path, first, 1 + ((kill * 7) % 90))) promised.add(number);
    assert.equal(query<{ integrity_check: string }>(store.path, 'PRAGMA integrity_check')[0]?.integrity_check, 'ok');
  }
  const stored = query<{ content: string; tool_calls: string | null; provenance: string }>(
    store.path,
    'SELECT content, tool_calls, provenance FROM messages',
  );
  const numbers = stored.map((row) => Number(row.content.slice(1)));
  assert.equal(new Set(numbers).size, numbers.length, 'nothing twice');
  const missing = [...promised].filter((number) => !numbers.includes(number));
  assert.deepEqual(missing, [], 'nothing lost');
  assert.ok(numbers.length <= promised.size + kills, 'at most one message a kill was stored but not yet promised');
  const row = await store.sessions.get('s');
  assert.equal(row?.message_count, numbers.length);
  assert.equal(row?.tool_call_count, stored.filter((message) => message.tool_calls !== null).length);
  const carried = stored.flatMap(({ provenance }) => JSON.parse(provenance).sources ?? []);
  const spoken = [{ from: 'agent' }, { from: 'user' }];
  assert.deepEqual(
    new Set((await store.sessions.sources('s')).map((source) => JSON.stringify(source))),
    new Set([...spoken, ...carried].map((source) => JSON.stringify(source))),
    'the session knows the sources of its messages, and no others',
  );
  const indexed = query<{ n: number }>(
    store.path,
    "SELECT count(*) AS n FROM messages_fts WHERE messages_fts MATCH 'm*'",
  );
  assert.equal(indexed[0]?.n, numbers.length, 'all of it searchable');
}

/** Kills the process once it has promised `after` messages; returns all it promised until then. */
async function appendUntilKilled(path: string, first: number, after: number): Promise<number[]> {
  const child = spawn(process.execPath, [program, path, 's', String(first)], { stdio: ['ignore', 'pipe', 'inherit'] });
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text;
    if (output.split('\n').length > after) child.kill('SIGKILL');
  });
  const [, signal] = await once(child, 'close');
  assert.equal(signal, 'SIGKILL');
  // What follows the last line break was not said to the end.
  return output.split('\n').slice(0, -1).map(Number);
}
