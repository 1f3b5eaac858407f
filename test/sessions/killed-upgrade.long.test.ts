/** A process that is killed while it upgrades or shortens: the next one finds all of it done, or none. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { textOf } from '../../src/llm/message.ts';
import { openSqliteSessionStore } from '../../src/sessions/sqlite/open.ts';
import { rows, version6, version11 } from './old-databases.ts';
import { execute, query, temporaryDirectory, temporaryStore, user } from './support.ts';

const program = fileURLToPath(new URL('upgrade-store.ts', import.meta.url));
const many = `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 4000)
  INSERT INTO messages (session_id, role, content, timestamp) SELECT 's', 'user', 'number ' || i, 1700000100 + i FROM n;`;

for (const [version, script] of [
  [6, version6],
  [11, version11],
] as const) {
  test(`an upgrade from version ${version} survives a kill at any moment, with one backup of what was there`, async (t) => {
    let interrupted = 0;
    for (let kill = 0; kill < 25; kill += 1) {
      const path = join(temporaryDirectory(t), 'state.db');
      execute(path, script + rows + many);
      // Spread over the time that a start and an upgrade take.
      await killAfter(path, 'open', 60 + kill * 12);
      const [left] = query<{ version: number }>(path, 'SELECT version FROM schema_version');
      assert.ok(left?.version === version || left?.version === 22);
      if (left?.version === version) interrupted += 1;
      const store = await openSqliteSessionStore(path);
      assert.equal((await store.messages.conversation('s')).length, 4003);
      assert.equal((await store.search.messages({ query: 'quokka' })).length, 1);
      assert.equal((await store.search.messages({ query: '"number 3999"' })).length, 1);
      assert.deepEqual(await store.maintenance.checkIntegrity(), []);
      await store.close();
      assert.deepEqual({ ...query(path, 'SELECT version FROM schema_version')[0] }, { version: 22 });
      const backup = `${path}.v${version}.backup`;
      assert.ok(existsSync(backup));
      assert.deepEqual({ ...query(backup, 'SELECT version FROM schema_version')[0] }, { version });
      assert.equal(query(backup, 'SELECT id FROM messages').length, 4003);
    }
    assert.ok(interrupted > 0, 'no upgrade was ever interrupted');
  });
}

test('a compaction in place survives a kill at any moment: the old conversation, or the new one', async (t) => {
  const store = await temporaryStore(t);
  await store.sessions.create({ id: 's', source: 'cli' });
  for (let index = 0; index < 40; index += 1) await store.messages.append('s', user(`r0 m${index}`));
  for (let kill = 0; kill < 25; kill += 1) {
    const promised = await killAfter(store.path, 'compact', 250 + kill * 11);
    const texts = (await store.messages.conversation('s')).map(({ content }) => textOf(content));
    const round = /^r(\d+) m0$/.exec(texts[0] ?? '')?.[1];
    assert.deepEqual(
      texts,
      Array.from({ length: 40 }, (_, index) => `r${round} m${index}`),
    );
    if (promised > 0) assert.ok(Number(round) >= promised, 'what was promised is there');
    const row = await store.sessions.get('s');
    assert.deepEqual([row?.message_count, row?.ended_at], [40, null]);
    if (row?.system_prompt != null) assert.equal(row.system_prompt, `r${round}`);
  }
  const lost = query<{ n: number }>(store.path, 'SELECT count(*) AS n FROM messages WHERE active + compacted <> 1');
  assert.equal(lost[0]?.n, 0, 'the originals are all there, put away');
  assert.deepEqual(await store.maintenance.checkIntegrity(), []);
});

/** Returns the last round that the process told of. */
async function killAfter(path: string, what: string, ms: number): Promise<number> {
  const child = spawn(process.execPath, [program, path, what], { stdio: ['ignore', 'pipe', 'inherit'] });
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text;
  });
  const closed = once(child, 'close');
  await delay(ms);
  child.kill('SIGKILL');
  await closed;
  return Number(output.split('\n').slice(0, -1).at(-1)) || 0;
}
