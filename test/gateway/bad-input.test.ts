/** What platforms and people should not send, and do: nothing accepted is lost, and what is refused is refused aloud. */
import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { test } from 'node:test';
import type { AdapterClock } from '../../src/gateway/platform/adapter-host.ts';
import { startModelServer } from '../fakes/model-server.ts';
import { textOf } from '../runtime/support.ts';
import { openGateway } from './support.ts';

const quiet =
  'auxiliary:\n  title_generation:\n    enabled: false\ndisplay:\n  busy_ack_enabled: false\n  platforms:\n    fake:\n      streaming: false\n      tool_progress: off\n';

test('a flood in one chat is taken up to a bound and refused aloud beyond it, and another chat does not feel it', async (t) => {
  const gate = Promise.withResolvers<void>();
  let asked = '';
  await using server = await startModelServer({
    respond: ({ body }) => {
      asked += JSON.stringify(body.messages.at(-1));
      return { text: 'done' };
    },
  });
  server.enqueue({ text: 'first', gate: gate.promise });
  const { fake, gateway } = await openGateway(t, server, { config: `${quiet}  busy_input_mode: queue\n` });
  await fake.say('begin');
  await server.requestArrived(1);
  const burst = { quiet_ms: 1 };
  const taken = await Promise.all(Array.from({ length: 1020 }, (_, index) => fake.say(`[${index}]`, { burst })));
  const accepted = taken.flatMap((acceptance, index) => (acceptance === 'accepted' ? [index] : []));
  assert.ok(accepted.length >= 999 && accepted.length < 1020, `${accepted.length}`);
  await fake.until(() => fake.texts().length === 1020 - accepted.length);
  assert.ok(
    fake.texts().every((text) => /too many|wait/i.test(text)),
    fake.texts()[0],
  );
  assert.equal(await fake.say('hello', { chat: 'c2', user: 'bob' }), 'accepted');
  await fake.until(() => fake.texts('c2').includes('done'));
  gate.resolve();
  await gateway.chats.settled(AbortSignal.timeout(60_000));
  for (const index of accepted) assert.ok(asked.includes(`[${index}]`), `${index}`);
});

test('an update that comes again behind later ones is not answered again, and order is that of arrival', async (t) => {
  await using server = await startModelServer({
    respond: ({ body }) => ({ text: `to ${textOf(body.messages.at(-1))}` }),
  });
  const { fake, gateway } = await openGateway(t, server, { config: `${quiet}  busy_input_mode: queue\n` });
  const order = ['e2', 'e1', 'e3', 'e1', 'e2'];
  const taken = [];
  for (const id of order) taken.push(await fake.say(id, { event_id: id }));
  assert.deepEqual(taken, ['accepted', 'accepted', 'accepted', 'duplicate', 'duplicate']);
  await fake.until(() => fake.texts().length === 3);
  await gateway.drain(AbortSignal.timeout(10_000));
  assert.deepEqual(fake.texts(), ['to e2', 'to e1', 'to e3']);
});

test('a message with half characters, NUL and marks of direction is answered, and the model gets whole characters', async (t) => {
  await using server = await startModelServer({ respond: () => ({ text: 'fine' }) });
  const { fake } = await openGateway(t, server, { config: quiet });
  assert.equal(await fake.say('a\uD800b\uDC00c\0d\u202Ee'), 'accepted');
  await fake.until(() => fake.texts().includes('fine'));
  const said = JSON.stringify(server.requests[0]?.body.messages.at(-1));
  assert.doesNotMatch(said, /\\ud800|\\udc00/i);
  assert.match(said, /a\uFFFDb\uFFFDc/);
  assert.deepEqual(server.violations, []);
});

test('half characters in names, quotes and what was said before do not reach the model either', async (t) => {
  await using server = await startModelServer({ respond: () => ({ text: 'fine' }) });
  const { fake } = await openGateway(t, server, { config: quiet });
  const source = {
    platform: 'fake',
    chat_id: 'c1',
    chat_name: 'room\uD800',
    chat_type: 'group',
    user_id: 'alice',
    user_name: 'al\uDC00ice',
    thread_id: 't',
    chat_topic: 'topic\uD83D',
  } as const;
  const reply_to = { message_id: 'm0', text: 'quo\uDFFFted', own: false };
  assert.equal(await fake.say('hi', { source, reply_to, channel_context: 'bob: cut \uD83D' }), 'accepted');
  await fake.until(() => fake.texts().includes('fine'));
  const said = JSON.stringify(server.requests[0]?.body.messages);
  assert.match(said, /quo\uFFFDted/);
  assert.doesNotMatch(said, /\\ud[89a-f]/i);
  assert.deepEqual(server.violations, []);
});

test('a message of a million characters and more is refused aloud', async (t) => {
  await using server = await startModelServer();
  const { fake } = await openGateway(t, server, { config: quiet });
  assert.equal(await fake.say('x'.repeat(1_000_001)), 'refused');
  await fake.until(() => fake.texts().length === 1);
  assert.match(fake.texts()[0] ?? '', /too long/);
  assert.equal(server.requests.length, 0);
});

test('what comes while the gateway ends is kept and told so, what ran gets its answer, and the next gateway goes on', async (t) => {
  await using server = await startModelServer();
  const gate = Promise.withResolvers<void>();
  server.enqueue({ text: 'in time', gate: gate.promise }, { text: 'later' });
  const { fake, gateway, place, close } = await openGateway(t, server, { config: quiet });
  await fake.say('work');
  await server.requestArrived(1);
  const drained = gateway.drain(AbortSignal.timeout(20_000));
  assert.equal(await fake.say('late', { chat: 'c2' }), 'accepted');
  await fake.until(() => fake.texts('c2').length === 1);
  assert.match(fake.texts('c2')[0] ?? '', /shutting down.*kept/);
  gate.resolve();
  await drained;
  await fake.until(() => fake.texts().includes('in time'));
  assert.equal(server.requests.length, 1);
  await close();
  await openGateway(t, server, { config: quiet, place, fake });
  await fake.until(() => fake.texts('c2').includes('later'));
});

test('a clock that jumps, to and fro, holds up no message and answers none twice', async (t) => {
  await using server = await startModelServer({ respond: ({ body }) => ({ text: `${body.messages.length}` }) });
  let ahead = 0;
  const clock: AdapterClock = {
    now: () => Date.now() + ahead,
    sleep: (ms, signal) => sleep(ms, undefined, { signal, ref: false }),
    random: () => 0,
  };
  const config = `${quiet}session_reset:\n  mode: none\n`;
  const { fake, gateway } = await openGateway(t, server, { config, clock });
  for (const [index, jump] of [0, 3 * 86_400_000, -400 * 86_400_000, 0].entries()) {
    ahead = jump;
    assert.equal(await fake.say(`message ${index}`), 'accepted');
    await fake.until(() => fake.texts().length === index + 1);
    await gateway.chats.settled(AbortSignal.timeout(10_000));
  }
  await gateway.delivery.settled(AbortSignal.timeout(10_000));
  assert.deepEqual(fake.texts(), ['2', '4', '6', '8']);
});
