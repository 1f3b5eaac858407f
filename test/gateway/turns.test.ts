/** What a person in a chat sees of a gateway: every message is answered, in order, whatever happens meanwhile. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startModelServer } from '../fakes/model-server.ts';
import type { MessageEvent } from '../../src/gateway/platform/message-event.ts';
import { placeFor } from '../runtime/support.ts';
import { openGateway } from './support.ts';

// No request beside the conversation.
const quiet =
  'auxiliary:\n  title_generation:\n    enabled: false\ndisplay:\n  platforms:\n    fake:\n      streaming: false\n      tool_progress: off\n';

test('a message is answered in its chat, as a reply to it', async (t) => {
  await using server = await startModelServer();
  server.enqueue({ text: 'Hello Alice.' });
  const { fake } = await openGateway(t, server, { config: quiet });
  assert.equal(await fake.say('hi'), 'accepted');
  await fake.until(() => fake.messages.length === 1);
  assert.deepEqual(fake.texts(), ['Hello Alice.']);
  assert.equal(fake.messages[0]?.replyTo, 'm1');
  assert.deepEqual(server.violations, []);
});

test('a message is stored with the id that its platform knows it by, also when it waited for its turn', async (t) => {
  await using server = await startModelServer();
  const gate = Promise.withResolvers<void>();
  server.enqueue({ text: 'first', gate: gate.promise }, { text: 'second' });
  const { fake, gateway } = await openGateway(t, server, { config: `${quiet}  busy_input_mode: queue\n` });
  await fake.say('one');
  await server.requestArrived(1);
  await fake.say('two');
  gate.resolve();
  await fake.until(() => fake.texts().includes('second'));
  const { store } = gateway.program;
  const [session = ''] = (await store?.maintenance.sessionIds()) ?? [];
  const said = (await store?.messages.conversation(session)) ?? [];
  assert.deepEqual(
    said.map((message) => (message.role === 'user' ? message.platformMessageId : message.role)),
    ['m1', 'assistant', 'm2', 'assistant'],
  );
  assert.doesNotMatch(JSON.stringify(server.requests.map(({ body }) => body)), /platformMessageId|"m1"/);
});

test('a reply that was delivered, or was never written down, is not sent', async (t) => {
  await using server = await startModelServer();
  const { fake, gateway } = await openGateway(t, server, { config: quiet });
  const outbox = gateway.program.store?.outbox;
  const to = { sessionKey: 'k', platform: fake.platform.name, chatId: 'c1', threadId: null, details: '{}' };
  await outbox?.add({ ...to, id: 'delivered', content: 'a second time' });
  await outbox?.delivered('delivered');
  gateway.delivery.send({ ...to, id: 'delivered', content: 'a second time' });
  gateway.delivery.send({ ...to, id: 'unknown', content: 'nobody will know' });
  await gateway.delivery.add({ ...to, id: 'new', content: 'the first' });
  await fake.until(() => fake.texts().length > 0);
  await gateway.delivery.settled(AbortSignal.timeout(5000));
  assert.deepEqual(fake.texts(), ['the first']);
});

test('the conversation of a chat goes on, and another chat has one of its own', async (t) => {
  await using server = await startModelServer({ respond: (request) => ({ text: `${request.body.messages.length}` }) });
  const { fake } = await openGateway(t, server, { config: quiet });
  await fake.say('one');
  await fake.until(() => fake.texts().length === 1);
  await fake.say('two');
  await fake.until(() => fake.texts().length === 2);
  await fake.say('hello', { chat: 'c2', user: 'bob' });
  await fake.until(() => fake.texts('c2').length === 1);
  assert.deepEqual([...fake.texts(), ...fake.texts('c2')], ['2', '4', '2']);
});

test('a message that is delivered twice is answered once', async (t) => {
  await using server = await startModelServer({ respond: () => ({ text: 'yes' }) });
  const { fake, gateway } = await openGateway(t, server, { config: quiet });
  const twice = [fake.say('hi', { event_id: 'same' }), fake.say('hi', { event_id: 'same' })];
  assert.deepEqual((await Promise.all(twice)).toSorted(), ['accepted', 'duplicate']);
  await fake.until(() => fake.messages.length === 1);
  await gateway.drain(AbortSignal.timeout(5000));
  assert.equal(server.requests.length, 1);
});

for (const [title, config, env] of [
  [
    'in mode queue the first answer is delivered before the second message gets its turn',
    `${quiet}  busy_input_mode: queue\n`,
    {},
  ],
  [
    'with the older word for it a text waits that would stop the turn',
    quiet,
    { HERMES_GATEWAY_BUSY_TEXT_MODE: 'queue' },
  ],
] as const)
  test(title, async (t) => {
    await using server = await startModelServer();
    const gate = Promise.withResolvers<void>();
    server.enqueue({ text: 'first', gate: gate.promise }, { text: 'second' });
    const { fake } = await openGateway(t, server, { place: placeFor(t, server, config, { env }) });
    await fake.say('one');
    await server.requestArrived(1);
    await fake.say('two');
    await fake.until(() => fake.texts().some((text) => text.startsWith('⏳')));
    gate.resolve();
    await fake.until(() => fake.texts().includes('second'));
    assert.deepEqual(
      fake.texts().filter((text) => !text.startsWith('⏳')),
      ['first', 'second'],
    );
  });

test('in mode interrupt the turn is stopped, and what was said meanwhile is one message', async (t) => {
  await using server = await startModelServer();
  const never = Promise.withResolvers<void>();
  server.enqueue({ text: 'first', gate: never.promise }, { text: 'both' });
  const { fake } = await openGateway(t, server, { config: quiet });
  await fake.say('one');
  await server.requestArrived(1);
  await Promise.all([fake.say('two'), fake.say('three')]);
  await fake.until(() => fake.texts().includes('both'));
  const asked = server.requests[1]?.body.messages.at(-1)?.content;
  assert.match(JSON.stringify(asked), /two\\nthree/);
  assert.ok(!fake.texts().includes('first'));
  assert.equal(fake.texts().filter((text) => text.startsWith('⚡')).length, 1, 'it is said once');
  never.resolve();
});

test('in mode steer the running turn reads the message, and there is one answer', async (t) => {
  await using server = await startModelServer();
  const gate = Promise.withResolvers<void>();
  server.enqueue({ toolCalls: [{ name: 'todo', arguments: {} }], gate: gate.promise }, { text: 'with that in mind' });
  const { fake, gateway } = await openGateway(t, server, { config: `${quiet}  busy_input_mode: steer\n` });
  await fake.say('one');
  await server.requestArrived(1);
  await fake.say('think of the children');
  await fake.until(() => fake.texts().some((text) => text.startsWith('⏩')));
  gate.resolve();
  await fake.until(() => fake.texts().includes('with that in mind'));
  assert.match(JSON.stringify(server.requests[1]?.body.messages), /think of the children/);
  await gateway.drain(AbortSignal.timeout(5000));
  assert.equal(server.requests.length, 2);
});

test('a variable says for all platforms that the running turn reads a message without a word', async (t) => {
  await using server = await startModelServer();
  const gate = Promise.withResolvers<void>();
  server.enqueue({ toolCalls: [{ name: 'todo', arguments: {} }], gate: gate.promise }, { text: 'with that in mind' });
  const config = `${quiet}      busy_steer_ack_enabled: true\n  busy_input_mode: steer\n`;
  const env = { HERMES_GATEWAY_BUSY_STEER_ACK_ENABLED: 'false' };
  const { fake, gateway } = await openGateway(t, server, { place: placeFor(t, server, config, { env }) });
  await fake.say('one');
  await server.requestArrived(1);
  await fake.say('think of the children');
  gate.resolve();
  await fake.until(() => fake.texts().includes('with that in mind'));
  await gateway.drain(AbortSignal.timeout(5000));
  assert.match(JSON.stringify(server.requests[1]?.body.messages), /think of the children/);
  assert.deepEqual(fake.texts(), ['with that in mind']);
});

test('an answer that does not arrive is tried again, and one that was written down is sent by the next process', async (t) => {
  await using server = await startModelServer({ respond: () => ({ text: 'here you are' }) });
  const first = await openGateway(t, server, { config: quiet });
  const { fake, place } = first;
  fake.failures.push(...Array.from({ length: 3 }, () => ({ ok: false, kind: 'forbidden', error: 'blocked' }) as const));
  await fake.say('hi');
  await fake.until(() => fake.failures.length < 3);
  fake.failures.length = 0;
  await first.close();
  assert.deepEqual(fake.texts(), []);
  await openGateway(t, server, { fake, place });
  assert.equal(server.requests.length, 1);
});

test('a stopped gateway takes up what it was doing', async (t) => {
  await using server = await startModelServer();
  const never = Promise.withResolvers<void>();
  server.enqueue({ text: 'lost', gate: never.promise }, { text: 'found again' });
  const first = await openGateway(t, server, { config: quiet });
  const { fake, place } = first;
  await fake.say('do it');
  await server.requestArrived(1);
  await first.close();
  assert.deepEqual(fake.texts(), []);
  await openGateway(t, server, { fake, place });
  await fake.until(() => fake.texts().includes('found again'));
  assert.deepEqual(server.violations, []);
  never.resolve();
});

test('a turn that fails is told, and the next message works', async (t) => {
  await using server = await startModelServer();
  server.enqueue({ fault: 'status', status: 400, body: { error: { message: 'no such thing' } } }, { text: 'fine' });
  const { fake } = await openGateway(t, server, { config: quiet });
  await fake.say('one');
  await fake.until(() => fake.messages.length === 1);
  assert.match(fake.texts()[0] ?? '', /⚠️|Sorry/);
  await fake.say('two');
  await fake.until(() => fake.texts().includes('fine'));
});

test('a word for silence is stored and not sent', async (t) => {
  await using server = await startModelServer();
  server.enqueue({ text: ' [silent] ' }, { text: 'Use [SILENT] to say nothing.' });
  const { fake } = await openGateway(t, server, { config: quiet });
  await fake.say('one');
  await fake.say('two');
  await fake.until(() => fake.messages.length > 0 && fake.texts().some((text) => text.startsWith('Use')));
  assert.ok(!fake.texts().some((text) => /^\s*\[silent\]/i.test(text)));
});

test('chats that an earlier process left are taken up some at a time, and all are answered', async (t) => {
  const gate = Promise.withResolvers<void>();
  await using server = await startModelServer({
    respond: async () => {
      await gate.promise;
      return { text: 'Late, but here.' };
    },
  });
  const place = placeFor(t, server, quiet);
  const left = await place.open();
  const chats = Array.from({ length: 20 }, (_, index) => `c${index}`);
  for (const chat of chats) {
    await left.store?.chatInbox.accept({
      platform: 'fake',
      eventId: `of ${chat}`,
      sessionKey: `agent:main:fake:dm:${chat}`,
      event: JSON.stringify(messageIn(chat)),
      receivedAt: Date.now(),
    });
  }
  await left.close();
  // Nobody loses patience: the next one begins when one is done.
  const clock = { now: () => Date.now(), random: () => 0, sleep: () => new Promise<void>(() => undefined) };
  const { fake } = await openGateway(t, server, { place, clock });
  await server.requestArrived(16);
  assert.equal(server.requests.length, 16);
  gate.resolve();
  await fake.until(() => fake.messages.length === chats.length);
  assert.deepEqual(new Set(fake.messages.map(({ chatId }) => chatId)), new Set(chats));
});

function messageIn(chat: string): MessageEvent {
  return {
    event_id: `of ${chat}`,
    source: {
      platform: 'fake',
      chat_id: chat,
      chat_name: null,
      chat_type: 'dm',
      user_id: chat,
      user_name: chat,
      thread_id: null,
      chat_topic: null,
    },
    text: 'Are you there?',
    message_type: 'text',
    message_id: null,
    timestamp: Date.now(),
    attachments: [],
  };
}
