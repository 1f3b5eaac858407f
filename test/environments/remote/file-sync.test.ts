/** Files that go to another host before its commands, and come back at the end. */
import assert from 'node:assert/strict';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { test, type TestContext } from 'node:test';
import type { Environment } from '../../../src/environments/environment.ts';
import { HostLostError, type RemoteHost } from '../../../src/environments/remote/host.ts';
import { createFileSync, type FileSyncOptions, standardLimits } from '../../../src/environments/remote/file-sync.ts';
import { createRemoteEnvironment } from '../../../src/environments/remote/remote-environment.ts';
import { noLog } from '../../../src/lib/log.ts';
import { makeDirectory } from '../support.ts';
import { shellHost } from './shell-host.ts';

interface Setup {
  /** The agent's home here, and the user's directory there. */
  readonly here: string;
  readonly there: string;
  readonly environment: Environment;
  readonly run: (command: string) => Promise<string>;
}

function open(
  t: TestContext,
  more: Partial<Pick<FileSyncOptions, 'maxBackBytes' | 'limits' | 'wait' | 'log'>> & {
    readonly there?: string;
    readonly host?: RemoteHost;
  } = {},
): Setup {
  const here = makeDirectory(t);
  const there = more.there ?? makeDirectory(t);
  const sync = createFileSync({
    folders: [
      { local: join(here, 'skills'), remote: 'skills', comesBack: false, without: ['.hub'] },
      { local: join(here, 'cache/images'), remote: 'cache/images', comesBack: true },
    ],
    files: () => [{ local: join(here, 'token.json'), remote: 'token.json' }],
    maxBackBytes: 1000,
    log: noLog,
    intervalMs: 0,
    ...more,
  });
  const environment = createRemoteEnvironment({ host: more.host ?? shellHost(there), cwd: '~', sync });
  t.after(() => environment.close());
  const run = async (command: string): Promise<string> => {
    const { output } = await environment.run(command, { timeoutMs: 20_000, signal: new AbortController().signal });
    return output;
  };
  return { here, there, environment, run };
}

function put(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

test('skills, cache and credential files are there before the first command, with times and rights', async (t) => {
  const { here, run } = open(t);
  const long = `${'long-name-'.repeat(15)}/${'deep-'.repeat(25)}.md`;
  put(join(here, 'skills', long), 'long');
  put(join(here, 'skills/a/run.sh'), 'echo hi');
  put(join(here, 'skills/.hub/lock.json'), 'no');
  symlinkSync('/etc/passwd', join(here, 'skills/a/link'));
  put(join(here, 'cache/images/\u00fc b.png'), 'picture');
  put(join(here, 'token.json'), 'secret');
  utimesSync(join(here, 'skills/a/run.sh'), 1_700_000_000, 1_700_000_000);
  assert.equal(await run(`cd .hermes; cat 'skills/${long}'; stat -c %Y skills/a/run.sh`), 'long1700000000\n');
  assert.equal(
    await run('ls -A skills/a skills; stat -c %a token.json; cat cache/images/*'),
    `skills:\na\n${'long-name-'.repeat(15)}\n\nskills/a:\nrun.sh\n600\npicture`,
  );
});

test('what is changed here follows, and what is taken away here goes there, too', async (t) => {
  const { here, there, run } = open(t);
  put(join(here, 'skills/a/SKILL.md'), 'one');
  put(join(here, 'skills/b/SKILL.md'), 'two');
  put(join(there, '.hermes/skills/theirs/SKILL.md'), 'not ours');
  await run('true');
  put(join(here, 'skills/a/SKILL.md'), 'changed');
  rmSync(join(here, 'skills/b'), { recursive: true });
  assert.equal(await run('cat .hermes/skills/*/SKILL.md'), 'changednot ours');
});

test('what was made in the cache comes back when the environment is closed; nothing else does', async (t) => {
  const { here, environment, run } = open(t);
  put(join(here, 'cache/images/old.png'), 'old');
  put(join(here, 'skills/a/SKILL.md'), 'mine');
  await run(
    'cd .hermes; printf new >cache/images/new.png; printf newer >cache/images/old.png; mkdir cache/images/sub; printf x >cache/images/sub/x; printf evil >skills/a/SKILL.md; printf e >skills/a/more; head -c 2000 /dev/zero >cache/images/big.png; printf y >cache/other',
  );
  await environment.close();
  const at = (name: string): string => join(here, 'cache/images', name);
  assert.deepEqual([readFileSync(at('new.png'), 'utf8'), readFileSync(at('old.png'), 'utf8')], ['new', 'newer']);
  assert.equal(readFileSync(at('sub/x'), 'utf8'), 'x');
  assert.equal(existsSync(at('big.png')), false, 'too large');
  assert.equal(readFileSync(join(here, 'skills/a/SKILL.md'), 'utf8'), 'mine');
  assert.equal(existsSync(join(here, 'skills/a/more')), false);
  assert.equal(existsSync(join(here, 'cache/other')), false);
});

test('nothing comes back where that is off, and what is there already is not sent again', async (t) => {
  const first = open(t, { maxBackBytes: 0 });
  put(join(first.here, 'skills/a/SKILL.md'), 'one');
  await first.run('mkdir -p .hermes/cache/images; printf new >.hermes/cache/images/new.png');
  await first.environment.close();
  assert.equal(existsSync(join(first.here, 'cache/images/new.png')), false);
  const second = open(t, { there: first.there });
  put(join(second.here, 'skills/a/SKILL.md'), 'one');
  const { mtime } = statSync(join(first.here, 'skills/a/SKILL.md'));
  utimesSync(join(second.here, 'skills/a/SKILL.md'), mtime, mtime);
  const before = statSync(join(first.there, '.hermes/skills/a/SKILL.md')).ino;
  await second.run('true');
  assert.equal(statSync(join(first.there, '.hermes/skills/a/SKILL.md')).ino, before);
});

test('a host that is made anew gets everything again', async (t) => {
  const there = makeDirectory(t);
  const made = (): void => void mkdirSync(join(there, 'tmp'), { recursive: true });
  made();
  const shell = shellHost(there, { TMPDIR: join(there, 'tmp') });
  let isLost = false;
  const host: RemoteHost = {
    ...shell,
    exec(command, run) {
      if (!isLost) return shell.exec(command, run);
      isLost = false;
      rmSync(there, { recursive: true });
      made();
      return Promise.reject(new HostLostError('it is gone'));
    },
  };
  const { here, run } = open(t, { there, host });
  put(join(here, 'skills/a/SKILL.md'), 'mine');
  put(join(here, 'token.json'), 'secret');
  assert.equal(await run('cat .hermes/skills/a/SKILL.md'), 'mine');
  isLost = true;
  await assert.rejects(run('true'), /it is gone/);
  assert.equal(await run('cat .hermes/skills/a/SKILL.md .hermes/token.json'), 'minesecret');
});

test('what is brought there and back has bounds, and what stays is told', async (t) => {
  const warnings: string[] = [];
  const { here, environment, run } = open(t, {
    limits: { maxFiles: 3, maxFileBytes: 10, maxBackFiles: 2, maxBackTotal: 6 },
    log: { ...noLog, warning: (message) => void warnings.push(message) },
  });
  for (const name of ['1', '2', '3', '4']) put(join(here, 'skills', name), 'x');
  put(join(here, 'skills/0-large'), 'more than 10 bytes');
  assert.equal(await run('ls .hermes/skills | wc -l | tr -d " \\n"'), '3', 'no more files, and no large one');
  await run('mkdir -p .hermes/cache/images; cd .hermes/cache/images; for n in a b c; do printf 1234 >$n; done');
  await environment.close();
  assert.equal(readdirSync(join(here, 'cache/images')).length, 1, 'two would be more than 6 bytes');
  assert.match(warnings.join('\n'), /cache\/images\/. stays there \(4 bytes\)/);
  assert.match(warnings.join('\n'), /1 more files stay there/);
  assert.deepEqual(standardLimits, {
    maxFiles: 20_000,
    maxFileBytes: 100_000_000,
    maxBackFiles: 2000,
    maxBackTotal: 2_147_483_648,
  });
});

test('a host that is away is asked three times more for what was made there, after 2, 4 and 8 seconds', async (t) => {
  const there = makeDirectory(t);
  const shell = shellHost(there);
  let isAway = false;
  const exec: RemoteHost['exec'] = (command, run) =>
    isAway ? Promise.reject(new HostLostError('it is away')) : shell.exec(command, run);
  const waits: number[] = [];
  const wait = (ms: number): Promise<void> => {
    waits.push(ms);
    isAway = waits.length < 3;
    return Promise.resolve();
  };
  const { here, environment, run } = open(t, { there, host: { ...shell, exec }, wait });
  await run('mkdir -p .hermes/cache/images; printf new >.hermes/cache/images/new.png');
  isAway = true;
  await environment.close();
  assert.deepEqual(waits, [2000, 4000, 8000]);
  assert.equal(readFileSync(join(here, 'cache/images/new.png'), 'utf8'), 'new');
});
