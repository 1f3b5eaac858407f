/** Processes that write into one memory, and what is left of it when they are killed. */
import assert from 'node:assert/strict';
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { createMemoryStore } from '../../src/memory/memory-store.ts';

const program = fileURLToPath(new URL('add-many.ts', import.meta.url));

export function place(t: TestContext) {
  const homePath = mkdtempSync(join(tmpdir(), 'hermes-memory-'));
  t.after(() => rmSync(homePath, { recursive: true, force: true }));
  const store = createMemoryStore({
    homePath,
    limits: { memory: 1_000_000, user: 1_000_000 },
    enabled: { memory: true, user: true },
  });
  const folder = join(homePath, 'memories');
  const temporary = () => readdirSync(folder).filter((name) => name.endsWith('.tmp'));
  return { homePath, folder, store, temporary };
}

/** A process that is about to write. */
export async function writer(t: TestContext, homePath: string, prefix: string, count: number): Promise<ChildProcess> {
  const child = spawn(process.execPath, [program, homePath, prefix, `${count}`], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  t.after(() => child.kill('SIGKILL'));
  await once(child.stdout, 'data');
  return child;
}

/** Four writers at once in each round, all of which are killed: whole files stay, and nobody is held up. */
export async function surviveKills(t: TestContext, rounds: number): Promise<void> {
  const { homePath, store, temporary } = place(t);
  let known: readonly string[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const children = await Promise.all(
      [0, 1, 2, 3].map((place) => writer(t, homePath, `writer-${round}-${place}`, 100_000)),
    );
    for (const child of children) child.stdin?.write('go\n');
    // On a busy machine a writer takes its time to begin.
    while (store.entries('memory').length === known.length) await sleep(1);
    for (const child of children) {
      // The moment of a kill is what differs from one to the next.
      await sleep(5 + (round % 20));
      const end = once(child, 'exit');
      child.kill('SIGKILL');
      await end;
      const entries = store.entries('memory');
      const torn = entries.filter((entry) => !/^(?:writer-\d+-\d \d+ x{200}|after \d+)$/.test(entry));
      assert.deepEqual(torn, []);
      assert.deepEqual(entries.slice(0, known.length), known, 'what was written stays');
      known = entries;
    }
    const { success } = await store.change({ action: 'add', target: 'memory', content: `after ${round}` });
    assert.equal(success, true);
    assert.deepEqual(temporary(), [], 'what the killed ones left is gone');
    known = store.entries('memory');
  }
  assert.ok(known.length > rounds, 'the writers wrote something');
}
