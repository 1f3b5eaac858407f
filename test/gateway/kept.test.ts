/** Nothing that was said is forgotten in between: between two turns, two processes, or two attempts to send. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { diskRoom, noRoomText } from '../../src/gateway/process/disk-room.ts';
import type { SendResult } from '../../src/gateway/platform/send-result.ts';
import { startModelServer } from '../fakes/model-server.ts';
import { openGateway } from './support.ts';

const quiet =
  'auxiliary:\n  title_generation:\n    enabled: false\ndisplay:\n  platforms:\n    fake:\n      streaming: false\n      tool_progress: off\n';
const steering = `${quiet}  busy_input_mode: steer\n`;
/** Waits are a thousandth of what they are. */
const fast = {
  now: () => Date.now(),
  sleep: (ms: number, signal: AbortSignal) => sleep(ms / 1000, undefined, { signal }),
  random: () => 0,
};
const later = (text: string): boolean => text.startsWith('⏳');

test('what came too late for the turn that was to read it is answered in a turn of its own', async (t) => {
  await using server = await startModelServer();
  const gate = Promise.withResolvers<void>();
  server.enqueue({ text: 'first', gate: gate.promise }, { text: 'second' });
  const { fake } = await openGateway(t, server, { config: steering });
  await fake.say('one');
  await server.requestArrived(1);
  await fake.say('two');
  await fake.until(() => fake.texts().some((text) => text.startsWith('⏩')));
  gate.resolve();
  await fake.until(() => fake.texts().includes('second'));
  assert.match(JSON.stringify(server.requests[1]?.body.messages.at(-1)), /two/);
  assert.equal(server.requests.length, 2);
});

test('so is what /steer said too late', async (t) => {
  await using server = await startModelServer();
  const gate = Promise.withResolvers<void>();
  server.enqueue({ text: 'first', gate: gate.promise }, { text: 'second' });
  const { fake, gateway } = await openGateway(t, server, { config: quiet });
  await fake.say('one');
  await server.requestArrived(1);
  const [chat] = gateway.chats.busy;
  assert.deepEqual(await chat?.worker?.submit({ content: 'two' }, 'steer'), { as: 'steered' });
  gate.resolve();
  await fake.until(() => fake.texts().includes('second'));
  assert.match(JSON.stringify(server.requests[1]?.body.messages.at(-1)), /two/);
});

test('a message that a turn had not read when its process ended is answered by the next one', async (t) => {
  await using server = await startModelServer();
  const never = Promise.withResolvers<void>();
  server.enqueue({ text: 'lost', gate: never.promise }, { text: 'one again' }, { text: 'two' });
  const first = await openGateway(t, server, { config: steering });
  const { fake, place } = first;
  await fake.say('one');
  await server.requestArrived(1);
  await fake.say('two');
  await fake.until(() => fake.texts().some((text) => text.startsWith('⏩')));
  await first.close();
  await openGateway(t, server, { fake, place });
  await fake.until(() => fake.texts().includes('two'));
  assert.ok(fake.texts().indexOf('one again') < fake.texts().indexOf('two'));
  never.resolve();
});

test('what is said while the gateway stops is kept, and the next process answers it', async (t) => {
  await using server = await startModelServer({ respond: () => ({ text: 'here you are' }) });
  const first = await openGateway(t, server, { config: quiet });
  const { fake, place, gateway } = first;
  await gateway.drain(AbortSignal.timeout(5000));
  assert.equal(await fake.say('still there?'), 'accepted');
  await fake.until(() => fake.texts().some(later));
  await first.close();
  assert.equal(server.requests.length, 0);
  await openGateway(t, server, { fake, place });
  await fake.until(() => fake.texts().includes('here you are'));
});

test('what is said while the gateway stops does not stop the turn that it lets end', async (t) => {
  await using server = await startModelServer();
  const gate = Promise.withResolvers<void>();
  server.enqueue({ text: 'first', gate: gate.promise });
  const { fake, gateway } = await openGateway(t, server, { config: quiet });
  await fake.say('one');
  await server.requestArrived(1);
  const drained = gateway.drain(AbortSignal.timeout(20_000));
  await fake.say('two');
  await fake.until(() => fake.texts().some(later));
  gate.resolve();
  await drained;
  assert.deepEqual(
    fake.texts().filter((text) => !later(text)),
    ['first'],
  );
});

test('while the disk is full messages stay with their platform, their senders are told once, and it ends by itself', async (t) => {
  await using server = await startModelServer({ respond: () => ({ text: 'answered' }) });
  let free = 10;
  let now = 0;
  const closed = diskRoom('/', { leastBytes: 100, free: () => free, now: () => now });
  const { fake } = await openGateway(t, server, { config: quiet, closed });
  await assert.rejects(fake.say('hi', { event_id: 'again' }), /nearly full/);
  await assert.rejects(fake.say('hi', { event_id: 'again' }), /nearly full/);
  await fake.until(() => fake.texts().length > 0);
  free = 1000;
  now += 6000;
  assert.equal(await fake.say('hi', { event_id: 'again' }), 'accepted');
  await fake.until(() => fake.texts().includes('answered'));
  assert.deepEqual(fake.texts(), [noRoomText, 'answered']);
});

test('a disk of which nobody knows how full it is counts as one with room', () => {
  const unknown = diskRoom('/', {
    free: () => {
      throw new Error('not supported');
    },
  });
  assert.equal(unknown(), undefined);
  assert.equal(diskRoom('/no/such/place')(), undefined);
});

test('a chat that takes nothing for a while gets its replies in order when it does', async (t) => {
  await using server = await startModelServer();
  server.enqueue({ text: 'first' }, { text: 'second' });
  const { fake } = await openGateway(t, server, { config: `${quiet}  busy_input_mode: queue\n`, clock: fast });
  const busy: SendResult = { ok: false, kind: 'rate_limited', error: 'slower', retryAfterMs: 100 };
  fake.failures.push(...Array.from({ length: 4 }, () => busy));
  await fake.say('one');
  await fake.say('two');
  await fake.until(() => fake.texts().includes('second'));
  assert.deepEqual(
    fake.texts().filter((text) => !later(text)),
    ['first', 'second'],
  );
});

test('of what may have arrived one marked copy follows; then the sender is asked, and the owner told', async (t) => {
  await using server = await startModelServer({ respond: () => ({ text: 'the answer' }) });
  const { fake } = await openGateway(t, server, { config: quiet, clock: fast });
  const cut: SendResult = { ok: false, kind: 'transient', error: 'cut', mayHaveArrived: true };
  fake.failures.push(cut, cut);
  await fake.say('hi');
  await fake.until(() => fake.texts('home').length === 1 && fake.texts().length === 1);
  assert.match(fake.texts()[0] ?? '', /^♻️ .*sent twice.*ask me again/);
  assert.match(fake.texts('home')[0] ?? '', /c1 could not be delivered/);
});

test('an answer that is refused for good is told in its chat, which outlives the process', async (t) => {
  await using server = await startModelServer({ respond: () => ({ text: 'the answer' }) });
  const refused: SendResult = { ok: false, kind: 'unsupported', error: 'not in this chat' };
  const { fake, gateway } = await openGateway(t, server, { config: quiet, clock: fast });
  fake.failures.push(refused, refused, refused);
  await fake.say('hi');
  await fake.until(() => fake.texts().length === 1);
  assert.match(fake.texts()[0] ?? '', /could not be sent \(not in this chat\)/);
  await gateway.drain(AbortSignal.timeout(5000));
  const { outbox } = gateway.program.store ?? {};
  assert.deepEqual(await outbox?.claimOpen(['fake']), []);
});

test('a chat whose ledger cannot be written for a while goes on by itself', async (t) => {
  await using server = await startModelServer();
  server.enqueue({ text: 'first' }, { text: 'second' });
  const { fake, gateway } = await openGateway(t, server, { config: quiet, clock: fast });
  const inbox = gateway.program.store?.chatInbox;
  assert.ok(inbox !== undefined);
  const end = inbox.end.bind(inbox);
  let failures = 3;
  // The disk is full at the end of a turn, and when its sender is to be told so.
  t.mock.method(inbox, 'end', async (...given: Parameters<typeof end>) => {
    failures -= 1;
    if (failures >= 0) throw new Error('database or disk is full');
    return await end(...given);
  });
  await fake.say('one');
  await fake.until(() => fake.texts().includes('first'));
  assert.equal(server.requests.length, 1, 'what was answered is not asked again');
  await fake.say('two');
  await fake.until(() => fake.texts().includes('second'));
});

test('an answer whose preview cannot be finished comes as a message of its own, which says so', async (t) => {
  await using server = await startModelServer();
  const gate = Promise.withResolvers<void>();
  server.enqueue({ text: 'half of it and the rest', pieceChars: 11, gateAfterFirst: gate.promise });
  const streamed = quiet
    .replace('streaming: false', 'streaming: true')
    .concat('streaming:\n  buffer_threshold: 1\n  edit_interval: 0\n');
  const { fake } = await openGateway(t, server, { config: streamed, clock: fast });
  fake.editFailure = { ok: false, kind: 'transient', error: 'no answer', mayHaveArrived: true };
  await fake.say('hi');
  await fake.until(() => fake.texts().length === 1);
  gate.resolve();
  await fake.until(() => fake.texts().length === 2);
  assert.match(fake.texts()[0] ?? '', /^half of it/);
  assert.match(fake.texts()[1] ?? '', /^♻️[^]*half of it and the rest$/);
});
