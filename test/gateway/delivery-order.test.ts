/** What a gateway owes to a chat when much happens at once, when clocks jump, and when a process died while it was sending. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate, setTimeout as sleep } from 'node:timers/promises';
import { sendReply } from '../../src/gateway/delivery/send-reply.ts';
import type { OutgoingText, PlatformAdapter } from '../../src/gateway/platform/adapter.ts';
import { PlatformError } from '../../src/gateway/platform/platform-error.ts';
import type { SendResult } from '../../src/gateway/platform/send-result.ts';
import { gather, readWaiting } from '../../src/gateway/chats/gather.ts';
import { startModelServer } from '../fakes/model-server.ts';
import { ChatService } from './chat-service.ts';
import { openGateway } from './support.ts';

const quiet =
  'auxiliary:\n  title_generation:\n    enabled: false\ndisplay:\n  platforms:\n    fake:\n      streaming: false\n      tool_progress: off\n';

test('a chat beyond the number that may rest is answered while all others are busy', async (t) => {
  const gate = Promise.withResolvers<void>();
  await using server = await startModelServer({ respond: () => ({ text: 'yes', gate: gate.promise }) });
  const { fake } = await openGateway(t, server, { config: quiet, chats: { most: 2 } });
  for (const chat of ['c1', 'c2', 'c3']) await fake.say('hi', { chat, user: chat });
  await server.requestArrived(3);
  gate.resolve();
  await fake.until(() => ['c1', 'c2', 'c3'].every((chat) => fake.texts(chat).length === 1));
});

test('an answer that waited for its platform comes before one that is ready just as the platform is there again', async (t) => {
  await using server = await startModelServer();
  const first = Promise.withResolvers<void>();
  const second = Promise.withResolvers<void>();
  const down = Promise.withResolvers<void>();
  server.enqueue({ text: 'first', gate: first.promise }, { text: 'second', gate: second.promise });
  const clock = {
    now: () => Date.now(),
    random: () => 0,
    // An attempt to connect that is made at once waits.
    sleep: async (ms: number, signal: AbortSignal) =>
      await (ms === 0 ? down.promise : sleep(ms, undefined, { signal })),
  };
  const queueing = quiet.replace('display:\n', 'display:\n  busy_input_mode: queue\n  busy_ack_enabled: false\n');
  const { fake, gateway } = await openGateway(t, server, { config: queueing, clock });
  const { outbox, chatInbox } = gateway.program.store ?? {};
  assert.ok(outbox !== undefined && chatInbox !== undefined);
  await fake.say('one');
  await server.requestArrived(1);
  await fake.say('two');
  fake.host.failed(new PlatformError('fake_cut', 'the line was cut', { retryable: true }));
  await setImmediate();
  first.resolve();
  await server.requestArrived(2);
  const ended = Promise.withResolvers<void>();
  const end = chatInbox.end.bind(chatInbox);
  t.mock.method(chatInbox, 'end', async (...given: Parameters<typeof end>) => {
    const replies = await end(...given);
    ended.resolve();
    return replies;
  });
  const claimOpen = outbox.claimOpen.bind(outbox);
  t.mock.method(outbox, 'claimOpen', async (...given: Parameters<typeof claimOpen>) => {
    const found = await claimOpen(...given);
    second.resolve();
    await ended.promise;
    // It is handed over by now.
    await setImmediate();
    return found;
  });
  down.resolve();
  await fake.until(() => fake.texts().length === 2);
  assert.deepEqual(fake.texts(), ['first', 'second']);
});

test('after the clock was set back a burst does not wait for the hour to come again', () => {
  const event = {
    event_id: 'e',
    source: {
      platform: 'fake',
      chat_id: 'c',
      chat_name: null,
      chat_type: 'dm',
      user_id: 'u',
      user_name: null,
      thread_id: null,
      chat_topic: null,
    },
    text: 'hi',
    message_type: 'text',
    message_id: null,
    timestamp: 0,
    attachments: [],
    burst: { quiet_ms: 500 },
  };
  const row = {
    id: 1,
    platform: 'fake',
    eventId: 'e',
    sessionKey: 'k',
    event: JSON.stringify(event),
    receivedAt: 3_600_000,
    state: 'waiting',
    attempts: 0,
    sessionId: null,
    turnAfter: null,
    part: 'own',
    preview: { messageId: null, unknown: false },
  } as const;
  const waiting = readWaiting(row);
  assert.ok(waiting !== undefined);
  assert.equal(gather([waiting], 3_600_100, false).waitMs, 400);
  assert.equal(gather([waiting], 0, false).waitMs, 0);
});

test('a part that may have arrived before the process died is marked, and the text is cut where it was cut before', async () => {
  const content = Array.from({ length: 30 }, (_, index) => `Sentence ${index} of the answer.`).join('\n');
  const whole = await sendFrom({ content, partsSent: 0, repeat: false });
  const rest = await sendFrom({ content, partsSent: 1, repeat: true });
  assert.equal(rest[0], `♻️ (repeat?) ${whole[1]}`);
  assert.deepEqual(rest.slice(1), whole.slice(2));
  for (const part of [...whole, ...rest]) assert.ok(part.length <= 300);
});

test('an answer whose preview is gone is marked when it may have been sent in its place', async () => {
  const gone: SendResult = { ok: false, kind: 'not_found', error: 'gone' };
  const texts = await sendFrom({ content: 'answer', partsSent: 0, repeat: true, previewId: 'p' }, gone);
  assert.match(texts.join(), /♻️[^]*answer/);
});

test('an answer that takes the place of one preview is marked when another one may stand beside it', async () => {
  const edited: string[] = [];
  const sending = { content: 'answer', partsSent: 0, repeat: true, previewId: 'p', shown: true };
  assert.deepEqual(await sendFrom(sending, { ok: true, messageId: 'p' }, edited), []);
  assert.match(edited.join(), /^♻️[^]*answer$/);
});

test('an edit whose arrival is not known is not followed by a second message', async () => {
  const unknown: SendResult = { ok: false, kind: 'transient', error: 'cut', mayHaveArrived: true };
  assert.deepEqual(await sendFrom({ content: 'answer', partsSent: 0, repeat: false, previewId: 'p' }, unknown), []);
});

test('an answer that the adapter throws at is tried again while the gateway runs, marked as a possible repeat', async (t) => {
  await using server = await startModelServer({ respond: () => ({ text: 'the answer' }) });
  const fake = new ChatService();
  fake.throwOnce(new TypeError('adapter is broken'));
  const clock = { now: () => Date.now(), sleep: () => setImmediate(), random: () => 0 };
  await openGateway(t, server, { config: quiet, fake, clock });
  await fake.say('hi');
  await fake.until(() => fake.texts().length === 1);
  assert.match(fake.texts().join(), /^♻️[^]*the answer$/);
});

interface Sending {
  readonly content: string;
  readonly partsSent: number;
  readonly repeat: boolean;
  readonly previewId?: string;
  readonly shown?: boolean;
}

/** The texts that are sent as messages of their own; `edited` is the answer to edits, whose texts go to `edits`. */
async function sendFrom(
  { content, partsSent, repeat, previewId, shown = false }: Sending,
  edited?: SendResult,
  edits: string[] = [],
): Promise<string[]> {
  const sent: string[] = [];
  const adapter: PlatformAdapter = {
    connect: () => Promise.resolve(),
    disconnect: () => Promise.resolve(),
    chatInfo: () => Promise.resolve(undefined),
    send({ text }: OutgoingText) {
      sent.push(text);
      return Promise.resolve({ ok: true, messageId: String(sent.length) });
    },
    ...(edited === undefined
      ? {}
      : { edits: { edit: (_id, { text }) => (edits.push(text), Promise.resolve(edited)) } }),
  };
  await sendReply(
    {
      reply: { id: 'r', chatId: 'c', threadId: null, content },
      details: { ...(previewId === undefined ? {} : { previewId }), ...(shown ? { shown } : {}) },
      partsSent,
      repeat,
    },
    {
      adapter,
      facts: { maxMessageLength: 300, lengthUnit: 'utf16', sendsOnce: false },
      replyToMode: 'off',
      clock: { now: () => 0, sleep: () => Promise.resolve(), random: () => 0 },
      signal: new AbortController().signal,
    },
  );
  return sent;
}
