/** The file of logins: shared, never lost, never readable by others. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import * as fc from 'fast-check';
import { UserError } from '../../src/lib/errors.ts';
import type { JsonObject } from '../../src/lib/json.ts';
import { type AuthFile, FileAuthStore } from '../../src/credentials/auth-store.ts';

/** Replaces what a login left under `providers.<id>`. */
function setState(store: FileAuthStore, id: string, state: JsonObject, { active = false } = {}): Promise<void> {
  return store.update((file) => {
    file.providers = { ...file.providers, [id]: state };
    if (active) file.active_provider = id;
  });
}

const storeModule = new URL('../../src/credentials/auth-store.ts', import.meta.url).href;

function authFile(t: TestContext): string {
  const home = mkdtempSync(join(tmpdir(), 'auth-store-'));
  t.after(() => rmSync(home, { recursive: true, force: true }));
  return join(home, 'auth.json');
}

test('a home without logins reads as empty and gets no file by reading', (t) => {
  const path = authFile(t);
  const store = new FileAuthStore(path);
  assert.deepEqual(store.read(), { version: 1 });
  assert.deepEqual(store.poolOf('openrouter'), []);
  assert.equal(store.providerState('nous'), undefined);
  assert.equal(store.activeProvider(), undefined);
  assert.equal(existsSync(path), false);
});

test('an update that changes nothing writes nothing', async (t) => {
  const path = authFile(t);
  await new FileAuthStore(path).update(() => 'looked');
  assert.equal(existsSync(path), false);
});

test('a login is stored with mode 0600, is seen by others at once, and can be forgotten', async (t) => {
  const path = authFile(t);
  const mine = new FileAuthStore(path);
  const other = new FileAuthStore(path);
  assert.equal(other.providerState('nous'), undefined);
  await setState(mine, 'nous', { access_token: 'tok' }, { active: true });
  assert.equal(statSync(path).mode & 0o777, 0o600);
  assert.deepEqual(other.providerState('nous'), { access_token: 'tok' });
  assert.equal(other.activeProvider(), 'nous');
  assert.match(JSON.stringify(other.read().updated_at), /^"\d{4}-\d\d-\d\dT/);
  assert.equal(await other.clearProvider('nous'), true);
  assert.equal(await other.clearProvider('nous'), false);
  assert.equal(mine.providerState('nous'), undefined);
  assert.equal(mine.activeProvider(), undefined);
});

test('a file that others could read is closed to them by the next write', async (t) => {
  const path = authFile(t);
  writeFileSync(path, '{"version":1}', { mode: 0o644 });
  await setState(new FileAuthStore(path), 'nous', {});
  assert.equal(statSync(path).mode & 0o777, 0o600);
});

for (const [name, text] of [
  ['cut off', '{"version": 1, "providers": {"nous"'],
  ['empty', ''],
  ['a list', '[]'],
  ['of the wrong shape', '{"providers": "none"}'],
] as const) {
  test(`a file that is ${name} is reported and never overwritten`, async (t) => {
    const path = authFile(t);
    writeFileSync(path, text);
    const store = new FileAuthStore(path);
    const reported = (error: unknown) => error instanceof UserError && error.message.includes(path);
    assert.throws(() => store.read(), reported);
    await assert.rejects(setState(store, 'nous', { a: 1 }), reported);
    assert.equal(readFileSync(path, 'utf8'), text);
  });
}

test('fields and providers that we do not know survive a rewrite', async (t) => {
  const path = authFile(t);
  const original = {
    version: 3,
    active_provider: 'spotify',
    providers: {
      spotify: { tokens: { a: [1, null, 'x'] } },
      nous: { portal_base_url: 'https://portal.test', tls: { insecure: false } },
      odd: null,
    },
    credential_pool: {
      nous: [
        { id: 'a1b2c3', access_token: 't', agent_key_id: 'k', scope: 'inference:invoke', novel: { deep: [true] } },
      ],
      strange: 'not a list',
    },
    suppressed_sources: { anthropic: ['claude_code'] },
    systems: [{ since: 1.5 }],
  };
  writeFileSync(path, JSON.stringify(original));
  await setState(new FileAuthStore(path), 'openai-codex', { tokens: {} });
  const { updated_at: _, ...rewritten } = JSON.parse(readFileSync(path, 'utf8'));
  assert.deepEqual(rewritten, {
    ...original,
    providers: { ...original.providers, 'openai-codex': { tokens: {} } },
  });
});

test('whatever JSON stands in unknown places is kept', async (t) => {
  const path = authFile(t);
  await fc.assert(
    fc.asyncProperty(
      fc.dictionary(fc.string(), fc.jsonValue()).filter((value) => !JSON.stringify(value).includes('__proto__')),
      async (extra) => {
        const before = { version: 1, providers: { other: extra }, future: extra };
        const kept = JSON.parse(JSON.stringify(before));
        writeFileSync(path, JSON.stringify(before));
        await new FileAuthStore(path).update((file) => {
          file.providers = { ...file.providers, nous: {} };
        });
        const after = JSON.parse(readFileSync(path, 'utf8'));
        assert.deepEqual(after.future, kept.future);
        assert.deepEqual(after.providers.other, kept.providers.other);
      },
    ),
    { numRuns: 25 },
  );
});

test('a change that fails half-way changes nothing', async (t) => {
  const path = authFile(t);
  const store = new FileAuthStore(path);
  await setState(store, 'nous', { a: 1 });
  const before = readFileSync(path, 'utf8');
  const fails = (file: AuthFile) => {
    file.providers = {};
    throw new Error('no');
  };
  await assert.rejects(store.update(fails), /no/);
  assert.equal(readFileSync(path, 'utf8'), before);
  assert.deepEqual(store.providerState('nous'), { a: 1 });
});

/** A real process that stores `count` logins, named after itself. */
function writer(path: string, name: string, count: number) {
  const program = `
    const { FileAuthStore } = await import(${JSON.stringify(storeModule)});
    const store = new FileAuthStore(${JSON.stringify(path)});
    for (let n = 0; n < ${count}; n += 1) {
      await store.update((file) => {
        file.providers = { ...file.providers, [${JSON.stringify(name)} + n]: { filler: 'x'.repeat(20000) } };
      });
      process.stdout.write('.');
    }`;
  return spawn(process.execPath, ['--input-type=module', '-e', program], { stdio: ['ignore', 'pipe', 'inherit'] });
}

test('two processes that write at the same time lose nothing of each other', async (t) => {
  const path = authFile(t);
  const exits = ['one-', 'two-'].map(async (name) => {
    const child = writer(path, name, 15);
    child.stdout.resume();
    return await once(child, 'exit');
  });
  assert.deepEqual(await Promise.all(exits), [
    [0, null],
    [0, null],
  ]);
  assert.equal(Object.keys(new FileAuthStore(path).read().providers ?? {}).length, 30);
});

test('a process that is killed while it writes leaves a whole file and no lock', async (t) => {
  const path = authFile(t);
  const child = writer(path, 'kill-', 10_000);
  let writes = 0;
  child.stdout.on('data', (dots: Buffer) => {
    writes += dots.length;
    if (writes >= 10) child.kill('SIGKILL');
  });
  await once(child, 'close');
  const store = new FileAuthStore(path);
  assert.ok(Object.keys(store.read().providers ?? {}).length >= 10);
  await setState(store, 'after', {});
  assert.deepEqual(store.providerState('after'), {});
});
