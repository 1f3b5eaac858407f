/** One home by turns: what one gateway owes and where its chats go on, the other takes over. */
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test, type TestContext } from 'node:test';
import { fileURLToPath } from 'node:url';
import { openSessionStore } from '../../src/sessions/open-store.ts';
import type { SessionStore } from '../../src/sessions/session-store.ts';
import { pythonPackages } from '../real/python-packages.ts';
import { loadRoutes, reply } from '../sessions/chat-support.ts';
import { execute, query } from '../sessions/support.ts';
import { environment } from './programs.ts';

const packages = await pythonPackages('hermes-agent-0.19.0', ['hermes-agent==0.19.0']);
const program = fileURLToPath(new URL('chats-original.py', import.meta.url));
const key = 'agent:main:telegram:dm:1';

describe('two gateways by turns', { skip: typeof packages === 'string' && packages }, () => {
  if (typeof packages === 'string') return;

  test('what the original owes is claimed, and what is claimed it leaves alone', async (t) => {
    const { home, path } = openHome(t);
    original(home, 'owe', 'pending', 'attempting', 'failed', 'delivered');
    const store = await openStore(t, path);
    const claimed = await store.outbox.claimOpen(['telegram']);
    assert.deepEqual(
      claimed.map(({ content, state, lastError }) => [content, state, lastError]),
      [
        ['answer pending', 'pending', null],
        ['answer attempting', 'failed', 'the program ended while it was being sent'],
        ['answer failed', 'failed', 'no answer'],
      ],
    );
    assert.deepEqual(original(home, 'sweep', 'telegram'), [], 'this process lives');
    for (const { id } of claimed) {
      assert.equal(await store.outbox.begin(id), true);
      await store.outbox.delivered(id);
    }
    execute(path, 'UPDATE delivery_obligations SET owner_pid = 999999999');
    assert.deepEqual(original(home, 'sweep', 'telegram'), []);
  });

  test('what this gateway owes the original claims, with a mark where it may have arrived', async (t) => {
    const { home, path } = openHome(t);
    const source = new URL('../../src/sessions/open-store.ts', import.meta.url).href;
    const replies = ['pending', 'attempting', 'failed', 'delivered'].map((id) => reply(id, { threadId: '7' }));
    const script = `const { openSessionStore } = await import(${JSON.stringify(source)});
      const { outbox } = await openSessionStore({ kind: 'sqlite', path: ${JSON.stringify(path)} });
      for (const reply of ${JSON.stringify(replies)}) {
        await outbox.add(reply);
        if (reply.id !== 'pending') await outbox.begin(reply.id);
        if (reply.id === 'failed') await outbox.failed(reply.id, { error: 'no answer', retryAt: Date.now() });
        if (reply.id === 'delivered') await outbox.delivered(reply.id);
      }
      process.kill(process.pid, 'SIGKILL');`;
    assert.equal(spawnSync(process.execPath, ['--input-type=module', '-e', script]).signal, 'SIGKILL');
    assert.deepEqual(original(home, 'sweep', 'discord'), []);
    assert.deepEqual(original(home, 'sweep', 'telegram'), [
      ['attempting', 'answer attempting', true, '7'],
      ['failed', 'answer failed', true, '7'],
      ['pending', 'answer pending', false, '7'],
    ]);
    const store = await openStore(t, path);
    assert.equal((await store.outbox.get('attempting'))?.attempts, 2, 'its claim counts');
  });

  test('chats go on in the same sessions, whoever wrote the index', async (t) => {
    const { home, path } = openHome(t);
    const written = original(home, 'hear', '1', '2') as Record<string, unknown>[];
    const store = await openStore(t, path);
    const loaded = await loadRoutes(store.chatRoutes);
    assert.deepEqual(JSON.parse(JSON.stringify([...loaded.values()])), written);
    const entry = loaded.get(key);
    assert.ok(entry);
    await store.chatRoutes.save([{ ...entry, total_tokens: 77, model_override: { model: 'm' } }]);
    await store.chatRoutes.remove(['agent:main:telegram:dm:2']);
    await store.close();
    rmSync(join(home, 'sessions', 'sessions.json'));
    const again = original(home, 'suspend', key) as Record<string, unknown>[];
    assert.deepEqual(
      again.map((one) => [
        one['session_key'],
        one['session_id'],
        one['total_tokens'],
        one['suspended'],
        one['model_override'],
      ]),
      [[key, entry.session_id, 77, true, { model: 'm' }]],
    );
    const later = await openStore(t, path);
    assert.equal((await loadRoutes(later.chatRoutes)).get(key)?.suspended, true);
    assert.equal(query(path, 'SELECT DISTINCT scope FROM gateway_routing').length, 1);
  });

  function original(home: string, ...args: readonly string[]): unknown {
    const python = typeof packages === 'string' ? '' : packages.python;
    const output = execFileSync(python, [program, ...args], { env: environment(home), cwd: home, encoding: 'utf8' });
    return JSON.parse(output.trim().split('\n').at(-1) ?? '');
  }
});

function openHome(t: TestContext): { home: string; path: string } {
  const place = mkdtempSync(join(tmpdir(), 'hermes-chats-'));
  t.after(() => rmSync(place, { recursive: true, force: true }));
  const home = join(place, '.hermes');
  mkdirSync(home);
  return { home, path: join(home, 'state.db') };
}

async function openStore(t: TestContext, path: string): Promise<SessionStore> {
  const store = await openSessionStore({ kind: 'sqlite', path });
  t.after(() => store.close());
  return store;
}
