/** Every message that ends without an answer is told of by name, also where another one was to be answered for both. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { SendResult } from '../../src/gateway/platform/send-result.ts';
import { type ModelServer, startModelServer } from '../fakes/model-server.ts';
import type { ChatService } from './chat-service.ts';
import { execute } from '../sessions/support.ts';
import { openGateway } from './support.ts';

const quiet =
  'auxiliary:\n  title_generation:\n    enabled: false\ndisplay:\n  busy_ack_enabled: false\n  platforms:\n    fake:\n      streaming: false\n      tool_progress: off\n';
const queueing = quiet.replace('display:\n', 'display:\n  busy_input_mode: queue\n');
/** Waits are a thousandth of what they are. */
const fast = {
  now: () => Date.now(),
  sleep: (ms: number, signal: AbortSignal) => sleep(ms / 1000, undefined, { signal }),
  random: () => 0,
};
const never = new Promise<void>(() => undefined);

/** `one` runs, and is interrupted by `two`, whose request has arrived. */
async function interrupted(fake: ChatService, server: ModelServer): Promise<void> {
  await fake.say('one');
  await server.requestArrived(1);
  await fake.say('two');
  await server.requestArrived(2);
}

test('when the message that interrupted another one is given up after a restart, the notice names both', async (t) => {
  await using server = await startModelServer();
  server.enqueue({ text: 'lost', gate: never }, { text: 'lost too', gate: never });
  const first = await openGateway(t, server, { config: quiet });
  const { fake, place } = first;
  await interrupted(fake, server);
  await first.close();
  const { gateway } = await openGateway(t, server, { fake, place, resumes: false });
  await fake.until(() => fake.messages.length > 0);
  assert.match(fake.texts().join(), /^I was interrupted[^]*“one”[^]*“two”/);
  assert.equal(fake.messages[0]?.replyTo, 'm2');
  assert.deepEqual(await gateway.program.store?.chatInbox.open(), []);
});

test('when its answer may have been sent twice, the notice names both', async (t) => {
  await using server = await startModelServer();
  server.enqueue({ text: 'lost', gate: never }, { text: 'for both' });
  const { fake } = await openGateway(t, server, { config: quiet, clock: fast });
  const cut: SendResult = { ok: false, kind: 'transient', error: 'cut', mayHaveArrived: true };
  fake.failures.push(cut, cut);
  await interrupted(fake, server);
  await fake.until(() => fake.texts().length === 1);
  assert.match(fake.texts().join(), /^♻️ .*sent twice[^]*“one”[^]*“two”/);
});

test('when its turn fails, the reply names both', async (t) => {
  await using server = await startModelServer();
  const refused = { fault: 'status', status: 400, body: { error: { message: 'no such thing' } } } as const;
  server.enqueue({ text: 'lost', gate: never }, refused);
  const { fake } = await openGateway(t, server, { config: quiet });
  await interrupted(fake, server);
  await fake.until(() => fake.texts().length === 1);
  assert.match(fake.texts().join(), /⚠️[^]*“one”[^]*“two”/);
});

test('when its turn cannot begin, the notice names both', async (t) => {
  await using server = await startModelServer();
  server.enqueue({ text: 'lost', gate: never });
  let broken = false;
  const receive = () => (broken ? Promise.reject(new Error('no room for files')) : Promise.resolve([]));
  const { fake } = await openGateway(t, server, { config: quiet, receive });
  await fake.say('one');
  await server.requestArrived(1);
  broken = true;
  // What has files interrupts nothing, but belongs to what did.
  await Promise.all([fake.say('two'), fake.say('three', { attachments: [aPicture] })]);
  await fake.until(() => fake.texts().length === 1);
  assert.match(fake.texts().join(), /did not work: no room for files[^]*“one”[^]*“two”[^]*“three”/);
});

test('an interrupted message ends with the answer to the next one, also when the process dies between them', async (t) => {
  await using server = await startModelServer({ respond: () => ({ text: 'for both' }) });
  const first = await openGateway(t, server, { config: quiet });
  const { fake, place, gateway } = first;
  const { chatInbox } = gateway.program.store ?? {};
  assert.ok(chatInbox !== undefined);
  await fake.say('hello');
  await fake.until(() => fake.texts().includes('for both'));
  // As a process leaves them that dies when the first one was interrupted.
  await gateway.drain(AbortSignal.timeout(10_000));
  await fake.say('one');
  await fake.say('two');
  const [one] = await chatInbox.open();
  assert.ok(one !== undefined);
  const [session = ''] = (await gateway.program.store?.maintenance.sessionIds()) ?? [];
  await chatInbox.begin([one.id], { sessionId: session, turnAfter: null });
  await chatInbox.carry([one.id]);
  await first.close();
  const second = await openGateway(t, server, { fake, place });
  await fake.until(() => fake.texts().filter((text) => text === 'for both').length === 2);
  await second.gateway.drain(AbortSignal.timeout(10_000));
  assert.equal(server.requests.length, 2);
  assert.match(JSON.stringify(server.requests[1]?.body.messages.at(-1)), /two/);
  assert.deepEqual(await second.gateway.program.store?.chatInbox.open(), []);
});

test('a turn that two more processes could not finish is parked: its chat is told, and the model is not asked again', async (t) => {
  await using server = await startModelServer();
  server.enqueue(...Array.from({ length: 3 }, () => ({ text: 'lost', gate: never })), { text: 'here I am' });
  let opened = await openGateway(t, server, { config: quiet });
  const { fake, place } = opened;
  await fake.say('one');
  for (const requests of [1, 2, 3]) {
    await server.requestArrived(requests);
    assert.deepEqual(fake.texts(), []);
    await opened.close();
    opened = await openGateway(t, server, { fake, place });
  }
  await fake.until(() => fake.texts().length === 1);
  assert.match(fake.texts().join(), /^I was interrupted while working on this and could not finish it/);
  assert.equal(fake.messages[0]?.replyTo, 'm1');
  assert.equal(server.requests.length, 3);
  assert.deepEqual(await opened.gateway.program.store?.chatInbox.open(), []);
  await fake.say('go on');
  await fake.until(() => fake.texts().includes('here I am'));
});

test('an interrupted message with nothing behind it is told of', async (t) => {
  await using server = await startModelServer();
  server.enqueue({ text: 'lost', gate: never });
  const first = await openGateway(t, server, { config: quiet });
  const { fake, place, gateway } = first;
  await fake.say('one');
  await server.requestArrived(1);
  await gateway.program.store?.chatInbox.carry([1]);
  await first.close();
  await openGateway(t, server, { fake, place });
  await fake.until(() => fake.texts().length > 0);
  assert.match(fake.texts().join(), /^I was interrupted/);
  assert.equal(fake.messages[0]?.replyTo, 'm1');
});

test('an interrupted message whose conversation is over before the next turn is told of by itself', async (t) => {
  await using server = await startModelServer({ respond: () => ({ text: 'for the second' }) });
  const first = await openGateway(t, server, { config: quiet });
  const { fake, place, gateway } = first;
  const { chatInbox } = gateway.program.store ?? {};
  await gateway.drain(AbortSignal.timeout(10_000));
  await fake.say('one');
  await fake.say('two');
  await chatInbox?.begin([1], { sessionId: 'over', turnAfter: null });
  await chatInbox?.carry([1]);
  await first.close();
  const second = await openGateway(t, server, { fake, place });
  await fake.until(() => fake.texts().includes('for the second'));
  const told = fake.messages.find(({ text }) => text.startsWith('I was interrupted'));
  assert.equal(told?.replyTo, 'm1');
  assert.match(told.text, /a new conversation has begun/);
  assert.deepEqual(await second.gateway.program.store?.chatInbox.running('agent:main:fake:dm:c1'), []);
});

test('messages that waited for more than a day as one are named', async (t) => {
  await using server = await startModelServer();
  const first = await openGateway(t, server, { config: queueing });
  const { fake, place, gateway } = first;
  await gateway.drain(AbortSignal.timeout(10_000));
  const burst = { quiet_ms: 60_000 };
  await fake.say('one', { burst });
  await fake.say('two', { burst });
  await first.close();
  execute(join(place.homePath, 'state.db'), `UPDATE gateway_inbox SET received_at = received_at - ${25 * 3_600_000}`);
  await openGateway(t, server, { fake, place });
  await fake.until(() => fake.texts().some((text) => text.startsWith('Your message waited')));
  assert.match(fake.texts().join(), /more than a day[^]*“one”[^]*“two”/);
});

test('what /stop drops from the queue is told of in words that outlive the process', async (t) => {
  await using server = await startModelServer();
  server.enqueue({ text: 'lost', gate: never });
  const { fake, gateway } = await openGateway(t, server, { config: queueing });
  await fake.say('one');
  await server.requestArrived(1);
  await fake.say('two');
  await fake.say('three');
  const [chat] = gateway.chats.busy;
  assert.equal(await chat?.stop(), true);
  await fake.until(() => fake.texts().length === 2);
  assert.match(fake.texts().toSorted().join(), /Stopped[^]*not answered[^]*“two”[^]*“three”/);
});

test('/stop between an interruption and the next turn tells of both messages', async (t) => {
  await using server = await startModelServer();
  server.enqueue({ text: 'lost', gate: never });
  const { fake, gateway } = await openGateway(t, server, { config: quiet });
  await fake.say('one');
  await server.requestArrived(1);
  const [chat] = gateway.chats.busy;
  await Promise.all([fake.say('two'), chat?.stop()]);
  await chat?.settled();
  await gateway.drain(AbortSignal.timeout(10_000));
  const [about] = [fake.messages.map(({ text, replyTo }) => `${replyTo ?? ''} ${text}`).join('\n')];
  assert.match(about, /m1|“one”/);
  assert.match(about, /m2|“two”/);
  assert.deepEqual(await gateway.program.store?.chatInbox.open(), []);
});

test('a message that another version wrote down in its own way is refused in its chat', async (t) => {
  await using server = await startModelServer();
  const first = await openGateway(t, server, { config: quiet });
  const { fake, place, gateway } = first;
  await gateway.drain(AbortSignal.timeout(10_000));
  const source = { platform: 'fake', chat_id: 'c1', chat_type: 'dm' };
  await gateway.program.store?.chatInbox.accept({
    platform: 'fake',
    eventId: 'new',
    sessionKey: 'agent:main:fake:dm:c1',
    event: JSON.stringify({ source, words: 'hello', message_id: 'm7' }),
    receivedAt: Date.now(),
  });
  await first.close();
  await openGateway(t, server, { fake, place });
  await fake.until(() => fake.texts().length === 1);
  assert.match(fake.texts().join(), /cannot read.*send it again/);
  assert.equal(fake.messages[0]?.replyTo, 'm7');
});

const aPicture = { kind: 'image', reference: 'f' } as const;
