/** Writers of one memory that are killed again and again. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { place, surviveKills } from './killed-writers.ts';

test('kill -9 of a hundred writers, some of them at once, leaves whole files and holds up nobody', async (t) => {
  await surviveKills(t, 25);
});

const foreign = fileURLToPath(new URL('foreign-writers.ts', import.meta.url));

for (const how of ['in-place', 'rename']) {
  test(`of 400 adds none is lost while another program saves the file ${how}`, async (t) => {
    const { folder, store } = place(t);
    await store.change({ action: 'add', target: 'memory', content: 'the first' });
    const path = join(folder, 'MEMORY.md');
    const child = spawn(process.execPath, [foreign, path, how], { stdio: ['pipe', 'pipe', 'inherit'] });
    t.after(() => child.kill('SIGKILL'));
    await once(child.stdout, 'data');
    child.stdin.write('go\n');
    const wanted = ['the first'];
    for (let index = 0; index < 400; index += 1) {
      const content = `ours ${index}`;
      const answer = await store.change({ action: 'add', target: 'memory', content });
      assert.equal(answer.success, true, JSON.stringify(answer));
      wanted.push(content);
    }
    const end = once(child, 'exit');
    child.stdin.end();
    await end;
    await store.change({ action: 'add', target: 'memory', content: 'the last' });
    const entries = store.entries('memory');
    assert.deepEqual(
      [...wanted, 'the last'].filter((entry) => !entries.includes(entry)),
      [],
    );
    const theirs = entries.filter((entry) => entry.startsWith(how)).map((entry) => Number(entry.split(' ')[1]));
    // Nothing can see a rename between the last look at the file and ours, some microseconds later.
    const lost = Math.max(...theirs) + 1 - new Set(theirs).size;
    assert.ok(lost <= theirs.length / 50, `${lost} of theirs are lost`);
    assert.ok(theirs.length > 20);
    assert.ok(entries.every((entry) => /^(?:the \w+|ours \d+|(?:in-place|rename) \d+)$/.test(entry)));
  });
}
