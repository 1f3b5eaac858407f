/** A gateway on the session store that is killed again and again, and at every single write of its file. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { assertKept, assertTold, finish, gateway, readSaid, surviveKilledGateways } from './killed-gateway.ts';
import { temporaryDirectory, temporaryStore } from './support.ts';

const noStrace = spawnSync('strace', ['-V']).status !== 0 && 'no strace';

test('killed 250 times while it answers, a gateway loses no message, and tells nobody twice without a mark', async (t) => {
  await surviveKilledGateways(t, 250);
});

for (const call of ['pwrite64', 'fsync,fdatasync']) {
  test(`killed at every ${call} of its store, a gateway loses no message`, { skip: noStrace }, async (t) => {
    const directory = temporaryDirectory(t);
    const empty = await temporaryStore(t);
    await empty.close();
    let kills = 0;
    for (let when = 1; ; when += 1) {
      const folder = join(directory, String(when));
      mkdirSync(folder);
      const path = join(folder, 'state.db');
      copyFileSync(empty.path, path);
      const inject = [
        '-f',
        '-qq',
        '--seccomp-bpf',
        '-o',
        '/dev/null',
        '-e',
        `inject=${call}:signal=SIGKILL:when=${when}`,
      ];
      const run = spawnSync('strace', [...inject, process.execPath, gateway, path, '0', '10'], { encoding: 'utf8' });
      const said = readSaid(run.stdout);
      assertKept(path, said);
      if (run.signal === null) {
        assert.equal(run.status, 0, run.stderr);
        break;
      }
      kills += 1;
      assertTold([...said, ...(await finish(path, 100_000))]);
    }
    t.diagnostic(`${kills} kills`);
    assert.ok(kills > 0);
  });
}
