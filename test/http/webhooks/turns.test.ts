/** What a delivery comes to once it was accepted: rates, subscriptions that are made while it runs, one answer. */
import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import * as webhook from '../../../src/cli/commands/webhook.ts';
import { noLog } from '../../../src/lib/log.ts';
import { runWebhookTurn } from '../../../src/http/webhooks/webhook-turn.ts';
import { startModelServer } from '../../fakes/model-server.ts';
import { runCommand } from '../../cli/config/run-command.ts';
import { temporaryHome } from '../../config/temporary-home.ts';
import { placeFor } from '../../runtime/support.ts';
import { until } from '../api/support.ts';
import { askedOf, type Hooks, sendSigned, startHooks } from './support.ts';

async function settled({ store }: Hooks): Promise<void> {
  await until(async () => (await store.webhooks.open()).length === 0);
}

test('of a route thirty events a minute are taken, and what strangers send does not count', async (t) => {
  let time = Date.now();
  const only = 'deliver: telegram, deliver_only: true, deliver_extra: {chat_id: 5}, prompt: hi';
  const hooks = await startHooks(t, { extra: `routes: {r: {${only}}, other: {${only}}}`, now: () => time });
  for (let count = 0; count < 100; count += 1) assert.equal((await hooks.post('r', { body: '{}' })).status, 401);
  for (let count = 0; count < 30; count += 1) assert.equal((await hooks.send('r', {})).status, 200);
  const late = await hooks.send('r', {});
  assert.equal(late.status, 429);
  assert.equal(late.headers.get('retry-after'), '60');
  assert.equal((await hooks.send('other', {})).status, 200);
  time += 60_000;
  assert.equal((await hooks.send('r', {})).status, 200);
});

test('what is subscribed while it runs is served at once, and what is removed is not', async (t) => {
  const given = temporaryHome(t);
  const hooks = await startHooks(t, {
    home: given,
    respond: () => ({ text: 'Ok.' }),
    extra: 'routes: {fixed: {prompt: static}}',
  });
  const place = { home: given.home, env: { ...given.env, WEBHOOK_ENABLED: 'true' } };
  const run = (...words: string[]) => runCommand(webhook, place, ...words);
  const same = ['--deliver', 'log', '--secret', 'a-shared-secret'];
  assert.equal((await hooks.send('x', {})).status, 404);
  assert.equal((await run('subscribe', 'x', '--prompt', 'hi from x', ...same)).exitCode, 0);
  assert.equal((await hooks.send('x', {})).status, 202);
  await run('subscribe', 'fixed', '--prompt', 'dynamic', ...same);
  assert.equal((await hooks.send('fixed', {})).status, 202);
  await settled(hooks);
  const asked = askedOf(hooks.model).join('\n');
  assert.match(asked, /hi from x/);
  assert.match(asked, /static/);
  assert.doesNotMatch(asked, /dynamic/);
  await run('remove', 'x');
  assert.equal((await hooks.send('x', {})).status, 404);
});

test('what is said on the way is not delivered, the answer is, once', async (t) => {
  const hooks = await startHooks(t, { extra: 'routes: {r: {deliver: "telegram:42", prompt: look}}' });
  hooks.place.put('a.txt', 'hello\n');
  hooks.model.enqueue(
    { text: 'One moment, I look.', toolCalls: [{ name: 'read_file', arguments: { path: 'a.txt' } }] },
    { text: 'It says hello.' },
  );
  assert.equal((await hooks.send('r', {})).status, 202);
  await settled(hooks);
  assert.deepEqual(
    hooks.chats.sent.map(({ target, text }) => [target.chatId, text]),
    [['42', 'It says hello.']],
  );
});

test('a delivery for another profile is not taken in its place', async (t) => {
  const hooks = await startHooks(t, { respond: () => ({ text: 'Ok.' }), extra: 'routes: {r: {}}' });
  const other = await sendSigned(`${hooks.server.url}/p/coder`, 'r', {});
  assert.deepEqual([other.status, await other.json()], [404, { error: 'Unknown or unconfigured profile' }]);
  assert.equal((await sendSigned(`${hooks.server.url}/p/default`, 'r', {})).status, 202);
  await settled(hooks);
  assert.equal(hooks.model.requests.length, 1);
});

test('of the same delivery twice at once the script runs once', async (t) => {
  const hooks = await startHooks(t, { respond: () => ({ text: 'Ok.' }), extra: 'routes: {r: {script: note.sh}}' });
  const scripts = join(hooks.place.homePath, 'scripts');
  mkdirSync(scripts, { recursive: true });
  writeFileSync(join(scripts, 'note.sh'), 'echo ran >> ran.txt\ncat > /dev/null\necho said\n');
  const headers = { 'x-github-delivery': 'same' };
  const both = await Promise.all([hooks.send('r', {}, headers), hooks.send('r', {}, headers)]);
  assert.deepEqual(new Set(both.map(({ status }) => status)), new Set([200, 202]));
  assert.equal(readFileSync(join(scripts, 'ran.txt'), 'utf8'), 'ran\n');
  await settled(hooks);
});

test('a turn that is stopped while it begins asks no model', async (t) => {
  const model = await startModelServer({ respond: () => ({ text: 'Too late.' }) });
  t.after(() => model.close());
  const program = await placeFor(t, model).open();
  const stop = new AbortController();
  const turn = runWebhookTurn({
    program,
    row: {
      id: 1,
      route: 'r',
      deliveryId: 'd',
      job: '',
      state: 'waiting',
      attempts: 0,
      sessionId: null,
      answer: null,
      receivedAt: 0,
    },
    job: { event: 'e', prompt: 'work', skills: [], target: { to: 'log' }, deliverOnly: false },
    resume: undefined,
    log: noLog,
    onBegin: async () => stop.abort(),
    signal: stop.signal,
  });
  await assert.rejects(turn, { name: 'AbortError' });
  assert.equal(model.requests.length, 0);
});
