/** What a remote environment does beyond what all environments do. */
import assert from 'node:assert/strict';
import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { RemoteHost } from '../../../src/environments/remote/host.ts';
import { watchBackground } from '../../../src/environments/remote/remote-background.ts';
import { createRemoteEnvironment } from '../../../src/environments/remote/remote-environment.ts';
import { RemotePlace } from '../../../src/environments/remote/remote-place.ts';
import { noLog } from '../../../src/lib/log.ts';
import { living, makeDirectory, uniqueSleep } from '../support.ts';
import { shellHost } from './shell-host.ts';

test('making the host ready takes nothing of the time of the first command', async (t) => {
  const shell = shellHost(makeDirectory(t));
  const slow: RemoteHost = { ...shell, open: () => sleep(2500) };
  const environment = createRemoteEnvironment({ host: slow, cwd: '~' });
  t.after(() => environment.close());
  const signal = new AbortController().signal;
  const { output, ended } = await environment.run('sleep 1.5; echo done', { timeoutMs: 3000, signal });
  assert.deepEqual([output, ended], ['done\n', 'exit']);
});

test('another process that has got the number of one in the background is not taken for it', async (t) => {
  const place = new RemotePlace(shellHost(makeDirectory(t)), {
    cwd: '~',
    variables: {},
    initFiles: [],
    autoSourceBashrc: false,
    log: noLog,
  });
  t.after(() => place.close());
  const { ground } = await place.ready(new AbortController().signal);
  writeFileSync(`${ground.directory}/run.log`, 'said before\n');
  const background = watchBackground({ place, ground, run: 'run', pid: process.pid, graceMs: 0 });
  let output = '';
  background.onOutput((chunk) => (output += chunk));
  assert.deepEqual([await background.exited, output], [137, 'said before\n']);
});

test('what ignores being asked is ended by force in time, also where each look takes long', async (t) => {
  const directory = makeDirectory(t);
  const [pauses, slowSleep] = [join(directory, 'pauses'), join(directory, 'sleep')];
  writeFileSync(slowSleep, `#!/bin/sh\necho >>'${pauses}'\nexec /bin/sleep 1\n`);
  chmodSync(slowSleep, 0o755);
  writeFileSync(pauses, '');
  const path = `${directory}${delimiter}${process.env['PATH'] ?? ''}`;
  const environment = createRemoteEnvironment({ host: shellHost(directory, { PATH: path }), cwd: '~' });
  t.after(() => environment.close());
  const stop = new AbortController();
  const marker = uniqueSleep();
  const { ended } = await environment.run(`trap '' TERM; echo begun; /bin/${marker}`, {
    timeoutMs: 600_000,
    signal: stop.signal,
    onOutput: (chunk) => chunk.includes('begun') && stop.abort(),
  });
  assert.deepEqual([ended, living(marker)], ['interrupt', []]);
  const looks = readFileSync(pauses, 'utf8').length;
  assert.ok(looks < 8, `it looked ${looks} times, a second apart, at what has a second of grace`);
});
