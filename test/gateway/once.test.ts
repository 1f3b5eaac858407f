/** What is done once is done once, and what is to be sent is sent: beside the queue, and over connections that break. */
import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Gateway } from '../../src/gateway/gateway.ts';
import { Delivery } from '../../src/gateway/delivery/delivery.ts';
import { sendReply } from '../../src/gateway/delivery/send-reply.ts';
import type { OutgoingFile, OutgoingText, PlatformAdapter } from '../../src/gateway/platform/adapter.ts';
import type { Platform } from '../../src/gateway/platform/platform.ts';
import type { SendResult } from '../../src/gateway/platform/send-result.ts';
import { startModelServer } from '../fakes/model-server.ts';
import { ChatService } from './chat-service.ts';
import { noCommands, openGateway } from './support.ts';

const quiet =
  'auxiliary:\n  title_generation:\n    enabled: false\ndisplay:\n  platforms:\n    fake:\n      streaming: false\n      tool_progress: off\n';
/** Waits are a thousandth of what they are. */
const fast = {
  now: () => Date.now(),
  sleep: (ms: number, signal: AbortSignal) => sleep(ms / 1000, undefined, { signal }),
  random: () => 0,
};
/** Long waits end only when everything does. */
const patient = {
  ...fast,
  sleep: (ms: number, signal: AbortSignal) =>
    sleep(ms < 30_000 ? ms / 1000 : 1_000_000, undefined, { signal, ref: false }),
};
const offline: SendResult = { ok: false, kind: 'transient', error: 'no network' };

/** A command that runs at once, for as long as the gate is closed. */
function slowCommand() {
  const gate = Promise.withResolvers<void>();
  const runs: string[] = [];
  const commands: typeof noCommands = {
    ...noCommands,
    run: (_chat, { text }) => Promise.resolve(runs.push(`later ${text}`) > 0),
    immediate: async (chat, event) => {
      chat.take(event);
      runs.push(event.text);
      await gate.promise;
      return true;
    },
  };
  return { commands, runs, gate };
}

test('a command that runs at once is not run again by the message that comes behind it', async (t) => {
  await using server = await startModelServer({ respond: () => ({ text: 'hello' }) });
  const { commands, runs, gate } = slowCommand();
  const { fake, gateway } = await openGateway(t, server, { config: quiet, commands });
  await fake.say('/work');
  await fake.say('hi');
  await fake.until(() => fake.texts().includes('hello'));
  gate.resolve();
  await gateway.drain(AbortSignal.timeout(10_000));
  assert.deepEqual(runs, ['/work']);
  assert.deepEqual(await gateway.program.store?.chatInbox.open(), []);
});

test('a command whose end cannot be written down at first is not run again, also when everything ends meanwhile', async (t) => {
  await using server = await startModelServer({ respond: () => ({ text: 'hello' }) });
  for (const clock of [fast, patient]) {
    const { commands, runs, gate } = slowCommand();
    gate.resolve();
    const { fake, gateway } = await openGateway(t, server, { config: quiet, commands, clock });
    const inbox = failingEnds(t, gateway, 2, () => true);
    await fake.say('/work');
    await gateway.drain(AbortSignal.timeout(100_000));
    assert.deepEqual(runs, ['/work']);
    assert.deepEqual(await inbox.open(), []);
  }
});

test('an answer whose end cannot be written down at first is still given', async (t) => {
  await using server = await startModelServer({ respond: () => ({ text: 'hello' }) });
  const { fake, gateway } = await openGateway(t, server, { config: quiet, clock: fast });
  const inbox = failingEnds(t, gateway, 1, (replies) => replies.length > 0);
  await fake.say('hi');
  await fake.until(() => fake.texts().length > 0);
  await gateway.drain(AbortSignal.timeout(100_000));
  assert.deepEqual(fake.texts(), ['hello']);
  assert.deepEqual(await inbox.open(), []);
});

test('an answer that no reply can be made of is told of once', async (t) => {
  await using server = await startModelServer({ respond: () => ({ text: 'hello' }) });
  const takeFiles = (): never => {
    throw new Error('out of luck');
  };
  const { fake, gateway } = await openGateway(t, server, { config: quiet, clock: fast, takeFiles });
  await fake.say('hi');
  await fake.until(() => fake.texts().length > 0);
  await gateway.drain(AbortSignal.timeout(100_000));
  assert.match(fake.texts().join('|'), /^Sorry, that did not work: out of luck[^|]*$/);
  assert.deepEqual(await gateway.program.store?.chatInbox.open(), []);
});

/** The inbox of a gateway, in which the first ends that are meant fail. */
function failingEnds(
  t: TestContext,
  gateway: Gateway,
  count: number,
  isMeant: (replies: readonly unknown[]) => boolean,
) {
  const inbox = gateway.program.store?.chatInbox;
  assert.ok(inbox !== undefined);
  const end = inbox.end.bind(inbox);
  let left = count;
  t.mock.method(inbox, 'end', async (...given: Parameters<typeof end>) => {
    if (isMeant(given[2] ?? [])) left -= 1;
    if (isMeant(given[2] ?? []) && left >= 0) throw new Error('database or disk is full');
    return await end(...given);
  });
  return inbox;
}

test('a command that breaks off is told of, and not run again', async (t) => {
  await using server = await startModelServer();
  const runs: string[] = [];
  const commands: typeof noCommands = {
    ...noCommands,
    run: () => Promise.resolve(runs.push('later') > 0),
    immediate: (chat, event) => {
      chat.take(event);
      runs.push('at once');
      return Promise.reject(new Error('out of luck'));
    },
  };
  const { fake } = await openGateway(t, server, { config: quiet, commands });
  await fake.say('/work');
  await fake.until(() => fake.texts().length === 1);
  assert.match(fake.texts()[0] ?? '', /did not work: out of luck/);
  assert.deepEqual(runs, ['at once']);
});

test('a message that was answered is not refused when its platform delivers it again', async (t) => {
  await using server = await startModelServer({ respond: () => ({ text: 'hello' }) });
  let paused: string | undefined;
  const { fake } = await openGateway(t, server, { config: quiet, paused: () => paused });
  await fake.say('hi', { event_id: 'same' });
  await fake.until(() => fake.texts().includes('hello'));
  paused = 'No turns for now.';
  assert.equal(await fake.say('hi', { event_id: 'same' }), 'duplicate');
  assert.equal(await fake.say('hi', { event_id: 'other' }), 'refused');
  await fake.until(() => fake.texts().length === 2);
  assert.deepEqual(fake.texts(), ['hello', 'No turns for now.']);
});

test('a reply outlives a connection that breaks again and again', async (t) => {
  await using server = await startModelServer();
  const { fake, gateway } = await openGateway(t, server, { config: quiet, clock: fast });
  const { store } = gateway.program;
  const connection = gateway.connection('fake');
  assert.ok(store !== undefined && connection !== undefined);
  const line = { up: true, missed: 0 };
  const delivery = new Delivery({
    outbox: store.outbox,
    clock: fast,
    log: gateway.program.log,
    connection: () => {
      if (line.up) return connection;
      line.missed += 1;
      return undefined;
    },
    onReach: () => undefined,
  });
  for (let time = 0; time < 5; time += 1) {
    // Three attempts at once, and then it waits, longer than the connection lasts.
    fake.failures.push(offline, offline, offline);
    line.up = true;
    if (time === 0) await delivery.add(aReply('r', 'the answer'));
    else await delivery.recover('fake');
    await fake.until(() => fake.failures.length === 0);
    line.up = false;
    while (line.missed === time) await sleep(1);
  }
  line.up = true;
  await delivery.recover('fake');
  await fake.until(() => fake.texts('c9').length > 0);
  await delivery.close();
  assert.deepEqual(fake.texts('c9'), ['the answer']);
});

test('an adapter that throws costs no reply, and its user is told at most once', async (t) => {
  await using server = await startModelServer({ respond: () => ({ text: 'the answer' }) });
  const fake = new ChatService();
  let throwing = 1;
  let attempts = 0;
  const create: Platform['create'] = (host) => {
    const adapter = fake.platform.create(host);
    const send: typeof adapter.send = async (message, signal) => {
      attempts += 1;
      throwing -= 1;
      if (throwing >= 0) throw new TypeError('x is not a function');
      return await adapter.send(message, signal);
    };
    return { ...adapter, send };
  };
  const platforms = [{ platform: { ...fake.platform, create }, config: fake.config }];
  const { gateway } = await openGateway(t, server, { config: quiet, clock: fast, fake, platforms });
  await fake.say('hi');
  await fake.until(() => fake.texts().length === 1);
  assert.match(fake.texts()[0] ?? '', /^♻️[^]*the answer$/);
  throwing = 1000;
  await gateway.delivery.add(aReply('never', 'another one'));
  while ((await gateway.program.store?.outbox.get('never.told'))?.state !== 'abandoned') await sleep(1);
  await gateway.delivery.settled(AbortSignal.timeout(10_000));
  assert.ok(attempts < 10, `${attempts} attempts`);
  assert.deepEqual(fake.texts('c9'), []);
});

test('what a platform takes in plain text only arrives whole', async () => {
  const text = `${'a'.repeat(3499)}👍${'b'.repeat(400)}`;
  const { sent } = await send({ content: text }, { refusesMarkup: true });
  assert.deepEqual(sent, [text, text]);
});

test('a file that a chat does not take is told in words, and the chat is not taken for dead', async () => {
  const { sent, result } = await send({ content: 'Here:', files: ['a.png', 'b.txt'] }, { refused: ['a.png'] });
  assert.deepEqual(sent, ['Here:', 'The file a.png could not be sent here.', 'b.txt']);
  assert.equal(result.ok, true);
});

test('a file that may have arrived says so when it is sent again', async () => {
  const { sent, captions } = await send({ content: 'Here:', files: ['a.png', 'b.txt'], partsSent: 1, repeat: true });
  assert.deepEqual(sent, ['a.png', 'b.txt']);
  assert.match(captions[0] ?? '', /^♻️/);
  assert.equal(captions[1], undefined);
});

test('pictures that stand side by side are one album, as many as the platform takes, and go on behind the last that came', async () => {
  const files = ['a.png', 'b.png', 'c.png', 'd.png', 'e.pdf', 'f.png'];
  const whole = await send({ content: 'Here:', files }, { albums: 3 });
  assert.deepEqual(whole.sent, ['Here:', 'a.png+b.png+c.png', 'd.png', 'e.pdf', 'f.png']);
  assert.deepEqual(whole.parts, [1, 4, 5, 6]);
  const rest = await send({ content: 'Here:', files, partsSent: 1, repeat: true }, { albums: 3 });
  assert.deepEqual(rest.sent, whole.sent.slice(1));
  assert.match(rest.captions[0] ?? '', /^♻️/);
  assert.deepEqual(rest.captions.slice(1), [undefined, undefined, undefined, undefined, undefined]);
  assert.deepEqual((await send({ content: 'Here:', files, partsSent: 4 }, { albums: 3 })).sent, whole.sent.slice(2));
});

test('an album that is refused is sent one by one; one that may have arrived is not', async () => {
  const files = ['a.png', 'b.png', 'c.png'];
  const refused = await send(
    { content: '', files },
    { albums: 10, album: { ok: false, kind: 'forbidden', error: 'no' } },
  );
  assert.deepEqual(refused.sent, ['a.png+b.png+c.png', 'a.png', 'b.png', 'c.png']);
  assert.equal(refused.result.ok, true);
  const lost = { ok: false, kind: 'unknown', error: 'cut', mayHaveArrived: true } as const;
  const unknown = await send({ content: '', files }, { albums: 10, album: lost });
  assert.deepEqual([unknown.sent, unknown.result], [['a.png+b.png+c.png'], lost]);
});

function aReply(id: string, content: string) {
  return { id, content, sessionKey: 'k', platform: 'fake', chatId: 'c9', threadId: null, details: '{}' };
}

interface Sending {
  readonly content: string;
  readonly files?: readonly string[];
  readonly partsSent?: number;
  readonly repeat?: boolean;
}

/** Everything that is asked of the platform, by its text or the name of its file. */
async function send(
  { content, files = [], partsSent = 0, repeat = false }: Sending,
  {
    refused = [],
    refusesMarkup = false,
    albums = 0,
    album,
  }: {
    readonly refused?: readonly string[];
    readonly refusesMarkup?: boolean;
    /** Pictures of one album. */
    readonly albums?: number;
    /** What becomes of one. */
    readonly album?: SendResult;
  } = {},
) {
  const sent: string[] = [];
  const parts: number[] = [];
  const captions: (string | undefined)[] = [];
  const adapter: PlatformAdapter = {
    connect: () => Promise.resolve(),
    disconnect: () => Promise.resolve(),
    chatInfo: () => Promise.resolve(undefined),
    send: ({ text, plain }: OutgoingText) => {
      sent.push(text);
      if (refusesMarkup && plain !== true)
        return Promise.resolve({ ok: false, kind: 'bad_format', error: 'cannot parse entities' });
      return Promise.resolve({ ok: true, messageId: String(sent.length) });
    },
    files: {
      fetch: () => Promise.reject(new Error('nothing comes')),
      send: ({ name, caption }: OutgoingFile) => {
        if (refused.includes(name)) return Promise.resolve({ ok: false, kind: 'forbidden', error: 'no rights' });
        captions.push(caption);
        return Promise.resolve({ ok: true, messageId: String(sent.push(name)) });
      },
      ...(albums === 0
        ? {}
        : {
            albums: {
              most: albums,
              send: (together: readonly OutgoingFile[]) => {
                captions.push(...together.map(({ caption }) => caption));
                const count = sent.push(together.map(({ name }) => name).join('+'));
                return Promise.resolve(album ?? { ok: true, messageId: String(count) });
              },
            },
          }),
    },
  };
  const result = await sendReply(
    {
      reply: { id: 'r', chatId: 'c', threadId: null, content },
      details: {
        files: files.map((name) => ({
          kind: name.endsWith('.pdf') ? ('document' as const) : ('image' as const),
          path: `/work/${name}`,
          name,
        })),
      },
      partsSent,
      repeat,
    },
    {
      adapter,
      facts: { maxMessageLength: 4096, lengthUnit: 'utf16', sendsOnce: false },
      replyToMode: 'off',
      clock: { now: () => 0, sleep: () => Promise.resolve(), random: () => 0 },
      signal: new AbortController().signal,
      onPart: (count) => {
        parts.push(count);
        return Promise.resolve();
      },
    },
  );
  return { sent, captions, parts, result };
}
