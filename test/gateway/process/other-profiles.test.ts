/** The profiles beside the default one: when they are opened, tried again, and what they are given. */
import assert from 'node:assert/strict';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { test, type TestContext } from 'node:test';
import { readApiKey, readOtherProfile } from '../../../src/cli/gateway/other-profile.ts';
import type { Io } from '../../../src/lib/io.ts';
import { profileHome } from '../../../src/config/home.ts';
import { AccountClaims } from '../../../src/gateway/process/account-claims.ts';
import { OtherProfiles } from '../../../src/gateway/process/other-profiles.ts';
import { lockGateway } from '../../../src/gateway/process/running-gateway.ts';
import { TokenLocks } from '../../../src/gateway/process/token-locks.ts';
import { temporaryHome } from '../../config/temporary-home.ts';

function profilesOf(t: TestContext) {
  const { home, env } = temporaryHome(t);
  const coder = profileHome(home.root, 'coder');
  const put = (name: string, text: string): void => {
    mkdirSync(join(coder.path, name, '..'), { recursive: true });
    writeFileSync(join(coder.path, name), text);
  };
  put('.no-bundled-skills', '');
  const io: Io = { stdin: new PassThrough(), stdout: new PassThrough(), stderr: new PassThrough() } as unknown as Io;
  const read = async (shell = env) =>
    await readOtherProfile({ shell, io }, coder, { verbose: 0, version: '0', say: () => undefined });
  return { home, coder, put, read, env };
}

test('a profile with a gateway of its own, or with files that are damaged, is tried again until it can be served', async (t) => {
  const { home, coder, put, read, env } = profilesOf(t);
  // An earlier gateway of it ended without a word.
  put('gateway_state.json', JSON.stringify({ pid: 1, gateway_state: 'running' }));
  put('state.db/not-a-database', '');
  const own = lockGateway(coder.path);
  const told: string[] = [];
  const waiting: (() => void)[] = [];
  const ending = new AbortController();
  const others = new OtherProfiles({
    root: home.root,
    own: 'default',
    around: {
      version: '0',
      lockDirectory: join(home.path, 'locks'),
      missing: () => undefined,
      restart: () => false,
      update: () => Promise.reject(new Error('nobody asks')),
      ending: () => ending.signal.aborted,
      changed: () => undefined,
    },
    claims: new AccountClaims(),
    clock: {
      now: () => Date.now(),
      random: () => 0,
      sleep: (_ms, signal) =>
        new Promise((resolve) => {
          waiting.push(resolve);
          signal?.addEventListener('abort', () => resolve(), { once: true });
        }),
    },
    ending: ending.signal,
    takesWebhooks: false,
    isRouted: () => false,
    read: () => read(),
    readApiKey: (home) => readApiKey(env, home),
    tell: (line) => void told.push(line),
    changed: () => undefined,
  });
  t.after(async () => {
    ending.abort();
    await others.close();
  });
  const tells = async (pattern: RegExp): Promise<void> => {
    while (!told.some((line) => pattern.test(line))) {
      for (const wake of waiting.splice(0)) wake();
      await new Promise((resolve) => setImmediate(resolve));
    }
  };
  await others.start();
  await tells(/^Profile coder is not served: a gateway of its own runs/);
  await assert.rejects(others.find('coder'), /gateway of its own runs/);
  own?.release();
  await tells(/^Profile coder is not served: (?!a gateway of its own)/);
  rmSync(join(coder.path, 'state.db'), { recursive: true });
  await tells(/^Profile coder is served too: no platform of its own/);
  assert.equal((await others.find('coder'))?.home.path, coder.path);
  assert.equal(await others.find('nobody'), undefined);
  assert.deepEqual([others.isOpen('coder'), others.isOpen('nobody')], [true, false]);
  assert.equal(told.length, 3, 'the same is not told again and again');
});

test('what the process was given of keys, accounts, people and rules is not for other profiles; the rest is', async (t) => {
  const { put, read, env } = profilesOf(t);
  put('.env', 'ANTHROPIC_API_KEY=key-of-coder\nPATH_OF_CODER=/opt\n');
  const shell = {
    ...env,
    OPENAI_API_KEY: 'sk-of-the-shell',
    ANTHROPIC_API_KEY: 'key-of-the-shell',
    TELEGRAM_BOT_TOKEN: '1:of-the-shell',
    TELEGRAM_ALLOWED_USERS: '1001',
    GATEWAY_ALLOW_ALL_USERS: 'true',
    API_SERVER_ENABLED: 'true',
    HERMES_YOLO_MODE: '1',
    MY_DATABASE_PASSWORD: 'hidden',
    HERMES_SAFE_MODE: '1',
    LANG: 'C.UTF-8',
  };
  const { env: seen } = await read(shell);
  assert.equal(seen['ANTHROPIC_API_KEY'], 'key-of-coder');
  for (const name of ['OPENAI_API_KEY', 'TELEGRAM_BOT_TOKEN', 'TELEGRAM_ALLOWED_USERS', 'GATEWAY_ALLOW_ALL_USERS'])
    assert.equal(seen[name], undefined, name);
  for (const name of ['API_SERVER_ENABLED', 'HERMES_YOLO_MODE', 'MY_DATABASE_PASSWORD'])
    assert.equal(seen[name], undefined, name);
  assert.deepEqual(
    [seen['PATH'], seen['LANG'], seen['HERMES_SAFE_MODE'], seen['PATH_OF_CODER']],
    [env['PATH'], 'C.UTF-8', '1', '/opt'],
  );
});

test('the key that opens a profile is read from its files, as they are, and from nowhere else', async (t) => {
  const { coder, put, env } = profilesOf(t);
  const shell = { ...env, API_SERVER_KEY: 'k-of-the-shell-0123456789' };
  assert.equal(await readApiKey(shell, coder), undefined);
  put('.env', 'API_SERVER_KEY=k-of-coder-0123456789\n');
  assert.equal(await readApiKey(shell, coder), 'k-of-coder-0123456789');
  put('.env', 'API_SERVER_KEY=short\n');
  assert.equal(await readApiKey(shell, coder), undefined);
});

test('two profiles of one process do not get the lock of one account, however it is found out', async (t) => {
  const { home } = profilesOf(t);
  const [first, second] = ['/home/a', '/home/b'].map((path) => new TokenLocks(join(home.path, 'locks'), path));
  await first?.take('matrix', 'matrix-account', '@bot:example.org');
  await first?.take('matrix', 'matrix-account', '@bot:example.org');
  await assert.rejects(
    async () => await second?.take('matrix', 'matrix-account', '@bot:example.org'),
    /in use by .*\/home\/a/,
  );
  await second?.giveBack('matrix');
  await assert.rejects(async () => await second?.take('matrix', 'matrix-account', '@bot:example.org'), /in use by/);
  await first?.giveBack('matrix');
  await second?.take('matrix', 'matrix-account', '@bot:example.org');
});
