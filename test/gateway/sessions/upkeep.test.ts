/** What the gateway does for conversations beside answering: it ends what is over, copies its index, and keeps to a number. */
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { test } from 'node:test';
import type { AdapterClock } from '../../../src/gateway/platform/adapter-host.ts';
import { startModelServer } from '../../fakes/model-server.ts';
import { textOf } from '../../runtime/support.ts';
import { openGateway } from '../support.ts';
import { allRoutes } from '../../sessions/chat-support.ts';

const quiet =
  'auxiliary:\n  title_generation:\n    enabled: false\ndisplay:\n  platforms:\n    fake:\n      streaming: false\n      tool_progress: off\n';

/** The true time, until it is put forward: who sleeps until then wakes. */
class LeapingClock implements AdapterClock {
  #ahead = 0;
  #sleepers: { readonly until: number; readonly wake: () => void }[] = [];

  now(): number {
    return Date.now() + this.#ahead;
  }

  random(): number {
    return 0;
  }

  async sleep(ms: number, signal: AbortSignal): Promise<void> {
    const woken = new Promise<void>((wake) => void this.#sleepers.push({ until: this.now() + ms, wake }));
    await Promise.race([sleep(ms, undefined, { signal, ref: false }), woken]);
  }

  leap(ms: number): void {
    this.#ahead += ms;
    const due = this.#sleepers.filter(({ until }) => until <= this.now());
    this.#sleepers = this.#sleepers.filter((sleeper) => !due.includes(sleeper));
    for (const { wake } of due) wake();
  }
}

test('a conversation that is over by the rules is ended before its next message, with the model that was chosen for it', async (t) => {
  await using server = await startModelServer({ respond: () => ({ text: 'yes' }) });
  const clock = new LeapingClock();
  const config = `${quiet}session_reset:\n  mode: idle\n  idle_minutes: 5\n`;
  const { fake, gateway } = await openGateway(t, server, { config, clock });
  await fake.say('hi');
  await fake.until(() => fake.texts().includes('yes'));
  const [key = ''] = (await allRoutes(gateway.routing)).keys();
  await gateway.routing.change(key, { model_override: { model: 'other' } });
  await gateway.chats.settled(AbortSignal.timeout(5000));
  assert.notEqual(gateway.chats.find(key)?.worker, undefined);
  clock.leap(61_000);
  assert.equal((await gateway.routing.get(key))?.expiry_finalized, false);
  while ((await gateway.routing.get(key))?.expiry_finalized !== true) {
    await sleep(10);
    clock.leap(300_000);
  }
  assert.equal((await gateway.routing.get(key))?.model_override, undefined);
  assert.equal(gateway.chats.find(key), undefined);
  const before = (await gateway.routing.get(key))?.session_id;
  await fake.say('again');
  await fake.until(() => fake.texts().length === 3);
  assert.notEqual((await gateway.routing.get(key))?.session_id, before);
});

test('a chat that nobody has written in for long leaves the index, and what was said in it stays', async (t) => {
  await using server = await startModelServer({ respond: () => ({ text: 'yes' }) });
  const clock = new LeapingClock();
  const config = `${quiet}gateway:\n  session_store_max_age_days: 3\n`;
  const { fake, gateway } = await openGateway(t, server, { config, clock });
  await fake.say('hi');
  await fake.say('hello', { chat: 'c2', user: 'bob' });
  await fake.until(() => fake.texts().length === 1 && fake.texts('c2').length === 1);
  const all = await allRoutes(gateway.routing);
  const [first = '', second = ''] = all.keys();
  const sessionId = all.get(first)?.session_id ?? '';
  await gateway.routing.change(second, { suspended: true });
  await gateway.chats.settled(AbortSignal.timeout(5000));
  clock.leap(2 * 86_400_000);
  await sleep(10);
  assert.equal((await allRoutes(gateway.routing)).size, 2);
  clock.leap(2 * 86_400_000);
  while ((await allRoutes(gateway.routing)).size > 1) {
    await sleep(10);
    clock.leap(300_000);
  }
  assert.deepEqual([...(await allRoutes(gateway.routing)).keys()], [second]);
  assert.equal(gateway.chats.find(first), undefined);
  await fake.say('again');
  await fake.until(() => fake.texts().length === 2);
  assert.notEqual((await gateway.routing.get(first))?.session_id, sessionId);
  assert.equal((await gateway.program.store?.sessions.get(sessionId))?.message_count, 2);
});

test('what was started in a chat runs on while it rests, for a day, and nobody who writes into the chat ends it', async (t) => {
  await using server = await startModelServer();
  server.enqueue(
    { toolCalls: [{ name: 'terminal', arguments: { command: 'sleep 300', background: true } }] },
    { text: 'started' },
  );
  const clock = new LeapingClock();
  const { fake, gateway } = await openGateway(t, server, { config: quiet, clock, chats: { most: 0 } });
  await fake.say('start it');
  await fake.until(() => fake.texts().includes('started'));
  await gateway.chats.settled(AbortSignal.timeout(5000));
  const [key = ''] = (await allRoutes(gateway.routing)).keys();
  const running = () => gateway.chats.find(key)?.worker?.session.background.count;
  assert.equal(running(), 1);
  gateway.chats.get('agent:main:fake:dm:c2');
  clock.leap(2 * 3_600_000);
  gateway.chats.expire();
  assert.equal(await gateway.chats.putDown(key, AbortSignal.timeout(5000)), false);
  assert.equal(running(), 1);
  clock.leap(25 * 3_600_000);
  gateway.chats.expire();
  assert.equal(gateway.chats.find(key), undefined);
});

test('the index of chats is copied to sessions.json, unless that is switched off', async (t) => {
  await using server = await startModelServer({ respond: () => ({ text: 'yes' }) });
  const copied = await openGateway(t, server, { config: quiet });
  await copied.fake.say('hi');
  await copied.fake.until(() => copied.fake.texts().length === 1);
  const [key = ''] = (await allRoutes(copied.gateway.routing)).keys();
  const entry = await copied.gateway.routing.get(key);
  await copied.close();
  const { _README: note, ...entries } = JSON.parse(copied.place.read('sessions/sessions.json'));
  assert.equal(typeof note, 'string');
  assert.deepEqual(Object.keys(entries), [key]);
  assert.deepEqual(
    [entries[key].session_id, entries[key].origin.chat_id, entries[key].updated_at],
    [entry?.session_id, 'c1', entry?.updated_at],
  );
  const without = await openGateway(t, server, { config: `${quiet}gateway:\n  write_sessions_json: false\n` });
  await without.fake.say('hi');
  await without.fake.until(() => without.fake.texts().length === 1);
  await without.close();
  assert.equal(existsSync(join(without.place.homePath, 'sessions', 'sessions.json')), false);
});

test('more chats than may be answered at once are told so; a chat that is being answered and commands are let in', async (t) => {
  await using server = await startModelServer({
    respond: ({ body }) => ({ text: `to ${textOf(body.messages.at(-1))}` }),
  });
  const gate = Promise.withResolvers<void>();
  server.enqueue({ text: 'first', gate: gate.promise });
  const config = `max_concurrent_sessions: 1\n${quiet}  busy_input_mode: queue\n`;
  const { fake, gateway } = await openGateway(t, server, { config });
  const taken = await Promise.all([fake.say('one'), fake.say('two', { chat: 'c2', user: 'bob' })]);
  assert.deepEqual(taken.toSorted(), ['accepted', 'refused']);
  await fake.until(() => fake.texts('c2').length === 1);
  assert.match(fake.texts('c2')[0] ?? '', /as many chats as I may/);
  await server.requestArrived(1);
  assert.equal(await fake.say('more'), 'accepted');
  assert.equal(await fake.say('/whoami', { chat: 'c2', user: 'bob', message_type: 'command' }), 'accepted');
  gate.resolve();
  await fake.until(() => fake.texts().includes('to more'));
  await gateway.chats.settled(AbortSignal.timeout(5000));
  assert.equal(await fake.say('now', { chat: 'c2', user: 'bob' }), 'accepted');
  await fake.until(() => fake.texts('c2').includes('to now'));
});
