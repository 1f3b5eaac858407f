/** What every chat platform keeps to, whatever is behind it. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import type { OutgoingText, PlatformAdapter, Prompt } from '../../src/gateway/platform/adapter.ts';
import { messageEvent, type MessageEvent } from '../../src/gateway/platform/message-event.ts';
import { PlatformError } from '../../src/gateway/platform/platform-error.ts';
import type { Sent, SendResult } from '../../src/gateway/platform/send-result.ts';
import { type FakeHost, fakeHost, until } from './fake-host.ts';
import type { FakePlatform, PlatformUnderTest } from './fake-platform.ts';

interface Opened {
  readonly fake: FakePlatform;
  readonly host: FakeHost;
  readonly adapter: PlatformAdapter;
  /** Another adapter on the same server, with other settings or variables. */
  readonly other: (options: OtherOptions) => { readonly host: FakeHost; readonly adapter: PlatformAdapter };
}

interface OtherOptions {
  readonly block?: Readonly<Record<string, unknown>>;
  readonly wrong?: boolean;
}

/** A message from nobody to nobody takes this long at most; a test that waits longer has failed. */
const signal = (): AbortSignal => AbortSignal.timeout(30_000);
const hello = 'Hello there.';

/** Puts the whole suite under the name of the platform. */
export function conformance(under: PlatformUnderTest): void {
  const { platform } = under;
  const check = (what: string, body: (opened: Opened, t: TestContext) => Promise<void>): void => {
    test(`${platform.name}: ${what}`, async (t) => {
      const fake = await under.open();
      const adapters: PlatformAdapter[] = [];
      const other: Opened['other'] = ({ block, wrong = false }) => {
        const host = fakeHost(platform, {
          variables: { ...fake.variables, ...(wrong ? fake.wrongVariables : {}) },
          block: { ...fake.block, ...block },
          after: (clean) => t.after(clean),
        });
        const adapter = platform.create(host);
        adapters.push(adapter);
        return { host, adapter };
      };
      t.after(async () => {
        await Promise.all(adapters.map((adapter) => adapter.disconnect()));
        await fake[Symbol.asyncDispose]();
      });
      const opened = { fake, other, ...other({}) };
      await body(opened, t);
      const told = [...opened.host.logged, ...opened.host.failures.map(({ message }) => message)].join('\n');
      for (const secret of fake.secrets) assert.ok(!told.includes(secret), 'no secret is logged');
    });
  };
  const connected = (what: string, body: (opened: Opened, t: TestContext) => Promise<void>): void =>
    check(what, async (opened, t) => {
      await opened.adapter.connect(signal());
      await body(opened, t);
    });

  test(`${platform.name}: it says by itself whether it is configured`, async () => {
    await using fake = await under.open();
    assert.equal(platform.read(fake.variables, fake.block).configured, true);
    assert.equal(platform.read({}, {}).configured, false);
    for (const { name, optional } of platform.requiredVariables)
      if (optional !== true) assert.equal(platform.read({ ...fake.variables, [name]: '' }, {}).configured, false, name);
    assert.match(platform.name, /^[a-z0-9_]+$/);
    assert.notEqual(platform.hint, '');
  });

  check('nothing is asked before it connects', async ({ fake }) => {
    await new Promise((resolve) => setImmediate(resolve));
    assert.equal(fake.requests, 0);
  });

  check('what is refused for its key needs the operator, and is not tried again', async ({ fake, other }) => {
    const { host, adapter } = other({ wrong: true });
    const error = await connectError(adapter);
    assert.equal(error.retryable, false);
    for (const secret of fake.secrets) assert.ok(!error.message.includes(secret));
    const { requests } = fake;
    await until(async () => fake.requests === requests);
    assert.deepEqual(host.sleeps, []);
    assert.ok(requests <= 2, `${requests} requests`);
  });

  check('a server that cannot be reached is tried again by whoever connects', async ({ fake, adapter }) => {
    await fake.stop();
    assert.equal((await connectError(adapter)).retryable, true);
    await fake.start();
  });

  check('a lock that somebody else holds is told, and nothing is asked', async ({ fake, host, adapter }) => {
    host.refuseLocks(new PlatformError('some-token_lock', 'held by process 1', { retryable: true }));
    assert.equal((await connectError(adapter)).code, 'some-token_lock');
    assert.equal(fake.requests, 0);
  });

  connected('after the end nothing is accepted, and ending twice does no harm', async ({ fake, host, adapter }) => {
    await adapter.disconnect();
    await adapter.disconnect();
    const { requests } = fake;
    await fake.write({ in: fake.places.dm, text: hello });
    await new Promise((resolve) => setTimeout(resolve, 50));
    assert.deepEqual(host.accepted, []);
    assert.equal(fake.requests, requests);
    assert.deepEqual(host.failures, []);
  });

  connected('what was written while nobody was there is accepted later', async ({ fake, adapter, other }) => {
    await adapter.disconnect();
    await fake.write({ in: fake.places.dm, text: 'while you were out' });
    const again = other({});
    await again.adapter.connect(signal());
    await until(() => again.host.accepted.length === 1);
    assert.equal(again.host.accepted[0]?.text, 'while you were out');
  });

  connected('a private message is one event with everything that is known of it', async ({ fake, host }) => {
    const before = Date.now();
    const id = await fake.write({ in: fake.places.dm, text: 'hi *there* _you_' });
    const event = await theOnly(host);
    assert.equal(event.text, 'hi *there* _you_');
    assert.equal(event.message_type, 'text');
    assert.equal(event.message_id, id);
    assert.equal(event.source.platform, platform.name);
    assert.equal(event.source.chat_id, fake.places.dm.chatId);
    assert.equal(event.source.chat_type, 'dm');
    assert.equal(event.source.thread_id, null);
    assert.equal(typeof event.source.user_id, 'string');
    assert.equal(typeof event.source.user_name, 'string');
    assert.ok(Math.abs(event.timestamp - before) < 120_000, 'in milliseconds');
    assert.deepEqual(messageEvent.parse(JSON.parse(JSON.stringify(event))), event, 'it can be written down');
  });

  connected('a group is not a private chat, and a thread of it is told apart', async ({ fake, host }) => {
    const { group, thread } = fake.places;
    await fake.write({ in: group, text: hello, mention: true });
    const event = await theOnly(host);
    assert.notEqual(event.source.chat_type, 'dm');
    assert.equal(event.source.chat_id, group.chatId);
    assert.equal(event.source.thread_id, null);
    assert.equal(event.text, hello, 'the mention is no part of the text');
    if (thread === undefined) return;
    await fake.write({ in: thread, text: hello, mention: true });
    await until(() => host.accepted.length === 2);
    assert.equal(host.accepted[1]?.source.thread_id, thread.threadId);
  });

  connected('its own messages and those of other bots are left alone', async ({ fake, host }) => {
    await fake.write({ in: fake.places.group, from: 'self', text: 'me' });
    await fake.write({ in: fake.places.group, from: 'bot', text: 'a bot', mention: true });
    await fake.write({ in: fake.places.group, text: 'a person', mention: true });
    assert.equal((await theOnly(host)).text, 'a person');
  });

  connected('the same message twice is the same event', async ({ fake, host }) => {
    const id = await fake.write({ in: fake.places.dm, text: hello });
    await theOnly(host);
    await fake.repeat(id);
    await fake.write({ in: fake.places.dm, text: 'the next' });
    await until(() => host.accepted.some(({ text }) => text === 'the next'));
    const ids = host.accepted.filter(({ text }) => text === hello).map(({ event_id }) => event_id);
    assert.equal(new Set(ids).size, 1);
    assert.equal(new Set(host.accepted.map(({ event_id }) => event_id)).size, 2);
  });

  connected('the platform is told only when the message is safe', async ({ fake, host }) => {
    const safe = Promise.withResolvers<void>();
    let asked = 0;
    host.whenAccepting(async () => {
      asked += 1;
      await safe.promise;
      return 'accepted';
    });
    const id = await fake.write({ in: fake.places.dm, text: hello });
    await until(() => asked === 1);
    assert.equal(fake.isAcknowledged(id), false);
    safe.resolve();
    await until(() => fake.isAcknowledged(id));
    assert.equal(host.accepted.length, 1);
  });

  connected('what could not be written down is delivered again', async ({ fake, host }) => {
    let asked = 0;
    host.whenAccepting(async () => {
      asked += 1;
      if (asked === 1) throw new Error('the disk is full');
      return 'accepted';
    });
    const id = await fake.write({ in: fake.places.dm, text: 'first' });
    await fake.write({ in: fake.places.dm, text: 'second' });
    await until(() => host.accepted.some(({ text }) => text === 'second'));
    assert.equal(host.accepted.find(({ text }) => text === 'first')?.message_id, id);
    const order = [...new Set(host.accepted.map(({ text }) => text))];
    assert.deepEqual(order, ['first', 'second'], 'in their order');
  });

  check('rules of who is answered in groups are kept', async ({ fake, other }) => {
    const { requireMention, freeChats, allowedChats, mentionPatterns } = fake.keys;
    const { dm, group, otherGroup } = fake.places;
    const heard = async (block: Record<string, unknown>, written: readonly Parameters<FakePlatform['write']>[0][]) => {
      const { host, adapter } = other({ block });
      await adapter.connect(signal());
      for (const message of written) await fake.write(message);
      await fake.write({ in: dm, text: 'end' });
      await until(() => host.accepted.some(({ text }) => text === 'end'), 'the last message');
      await adapter.disconnect();
      return host.accepted.filter(({ text, observed }) => text !== 'end' && observed !== true).map(({ text }) => text);
    };
    const both = [
      { in: group, text: 'plain' },
      { in: group, text: 'called', mention: true },
    ];
    assert.deepEqual(await heard({ [requireMention]: true }, both), ['called']);
    assert.deepEqual(await heard({ [requireMention]: false }, both), ['plain', 'called']);
    const free = { [requireMention]: true, [freeChats]: [group.chatId] };
    assert.deepEqual(await heard(free, [...both, { in: otherGroup, text: 'elsewhere' }]), ['plain', 'called']);
    const allowed = { [requireMention]: true, [allowedChats]: [otherGroup.chatId] };
    const elsewhere = { in: otherGroup, text: 'elsewhere', mention: true };
    assert.deepEqual(await heard(allowed, [...both, elsewhere]), ['elsewhere'], 'private chats are always heard');
    if (mentionPatterns === undefined) return;
    const pattern = { [requireMention]: true, [mentionPatterns]: ['^hey robot'] };
    assert.deepEqual(await heard(pattern, [both[0] ?? elsewhere, { in: group, text: 'Hey Robot, come' }]), [
      'Hey Robot, come',
    ]);
  });

  connected('files come as references that can be fetched', async ({ fake, host, adapter }) => {
    const files = [
      { kind: 'image', name: 'a.png', mime: 'image/png', bytes: Buffer.from('a picture') },
      { kind: 'document', name: '../../etc/passwd', mime: 'text/plain', bytes: Buffer.from('a document') },
      { kind: 'voice', name: 'v.ogg', mime: 'audio/ogg', bytes: Buffer.from('a voice') },
    ] as const;
    for (const [index, file] of files.entries()) {
      await fake.write({ in: fake.places.dm, text: `see ${index}`, file });
      await until(() => host.accepted.length === index + 1);
      const [attachment] = host.accepted[index]?.attachments ?? [];
      assert.ok(attachment !== undefined);
      assert.equal(attachment.kind, file.kind);
      const bytes: Uint8Array[] = [];
      for await (const chunk of (await adapter.files?.fetch(attachment, signal())) ?? []) bytes.push(chunk);
      assert.equal(Buffer.concat(bytes).toString(), Buffer.from(file.bytes).toString());
    }
  });

  connected('an answer says what it answers', async ({ fake, host, adapter }) => {
    const { dm } = fake.places;
    const sent = await sendOk(adapter, { to: dm, text: 'the **question**' });
    await fake.write({ in: dm, text: 'the answer', replyTo: sent });
    const event = await theOnly(host);
    assert.equal(event.text, 'the answer');
    assert.equal(event.reply_to?.message_id, sent);
    assert.equal(event.reply_to?.own, true);
  });

  connected('1,000 messages stay in order in each chat', async ({ fake, host }) => {
    const places = [fake.places.dm, fake.places.group, fake.places.otherGroup];
    const inFlight = new Set<string>();
    host.whenAccepting(async ({ source }) => {
      assert.ok(!inFlight.has(source.chat_id), 'one after the other for each chat');
      inFlight.add(source.chat_id);
      await new Promise((resolve) => setImmediate(resolve));
      inFlight.delete(source.chat_id);
      return 'accepted';
    });
    for (let number = 0; number < 1000; number += 1)
      await fake.write({ in: places[number % places.length] ?? fake.places.dm, text: String(number), mention: true });
    await until(() => host.accepted.length >= 1000);
    for (const place of places) {
      const numbers = host.accepted
        .filter(({ source }) => source.chat_id === place.chatId)
        .map(({ text }) => Number(text));
      assert.deepEqual(
        numbers,
        numbers.toSorted((a, b) => a - b),
      );
    }
  });

  connected('text is sent, in bold too, and its id is told', async ({ fake, adapter }) => {
    const { requests } = fake;
    const id = await sendOk(adapter, { to: fake.places.dm, text: 'a **strong** word. 1 < 2 & 3!' });
    assert.ok(fake.requests - requests <= 2);
    const [shown] = fake.shown(fake.places.dm);
    assert.equal(shown?.text, 'a strong word. 1 < 2 & 3!');
    assert.equal(shown?.id, id);
    assert.notEqual(shown?.raw, shown?.text);
  });

  connected('text goes to its thread and quotes what it answers', async ({ fake, host, adapter }) => {
    const { thread, group } = fake.places;
    const place = thread ?? group;
    const id = await fake.write({ in: place, text: hello, mention: true });
    await until(() => host.accepted.length === 1);
    await sendOk(adapter, { to: place, text: 'yes', replyTo: id });
    assert.equal(fake.shown(place).at(-1)?.text, 'yes');
    assert.equal(fake.shown(place).at(-1)?.replyTo, id);
    const gone = await adapter.send(message({ to: place, text: 'still', replyTo: '999999' }), signal());
    if (gone.ok) assert.equal(fake.shown(place).at(-1)?.text, 'still', 'a quoted message that is gone is left out');
    else assert.equal(gone.kind, 'not_found');
  });

  connected('plain text is shown as it is', async ({ fake, adapter }) => {
    const text = '**not** bold, _nor_ this \\ [x](y) <b> `code';
    await sendOk(adapter, { to: fake.places.dm, text, plain: true });
    assert.equal(fake.shown(fake.places.dm).at(-1)?.text, text);
  });

  connected('troubles are told apart', async ({ fake, host, adapter }) => {
    const attempt = async (): Promise<SendResult> =>
      await adapter.send(message({ to: fake.places.dm, text: '**hi**' }), signal());
    fake.trouble({ as: 'rate_limited', seconds: 7 });
    const limited = await attempt();
    assert.ok(!limited.ok && limited.kind === 'rate_limited');
    assert.equal(limited.retryAfterMs, 7000);
    for (const as of ['server_error', 'forbidden', 'not_found'] as const) {
      fake.trouble({ as });
      const result = await attempt();
      assert.ok(!result.ok);
      assert.equal(result.kind, as === 'server_error' ? 'transient' : as);
      assert.equal(result.mayHaveArrived, undefined);
      assert.doesNotMatch(result.error, /\n/);
      for (const secret of fake.secrets) assert.ok(!result.error.includes(secret));
    }
    assert.deepEqual(fake.shown(fake.places.dm), []);
    assert.deepEqual(host.failures, [], 'the connection is not at fault');
    assert.equal((await attempt()).ok, true);
  });

  connected('markup that is refused can be sent plain', async ({ fake, adapter }) => {
    fake.trouble({ as: 'bad_format' });
    const refused = await adapter.send(message({ to: fake.places.dm, text: '**hi**' }), signal());
    assert.ok(!refused.ok && refused.kind === 'bad_format');
    await sendOk(adapter, { to: fake.places.dm, text: '**hi**', plain: true });
    assert.equal(fake.shown(fake.places.dm).length, 1);
  });

  connected('what may have arrived is not sent twice', async ({ fake, adapter }) => {
    await sendOk(adapter, { to: fake.places.dm, text: 'over a connection that is kept' });
    fake.trouble({ as: 'cut_after' });
    const once = message({ to: fake.places.dm, text: 'once', idempotencyKey: 'key-1' });
    const result = await adapter.send(once, signal());
    if (!result.ok) assert.equal(result.mayHaveArrived, true);
    assert.equal(fake.shown(fake.places.dm).filter(({ text }) => text === 'once').length, 1);
  });

  check('with nobody there, sending says that it did not arrive', async ({ fake, adapter }) => {
    await fake.stop();
    const result = await adapter.send(message({ to: fake.places.dm, text: hello }), signal());
    assert.ok(!result.ok && result.kind === 'transient');
    assert.equal(result.mayHaveArrived, undefined);
    await fake.start();
  });

  connected('sending ends with its signal', async ({ fake, adapter }) => {
    const stopped = AbortSignal.abort();
    const result = await adapter.send(message({ to: fake.places.dm, text: hello }), stopped);
    assert.equal(result.ok, false);
    assert.deepEqual(fake.shown(fake.places.dm), []);
  });

  connected('a message can be changed and taken back', async ({ fake, adapter }) => {
    const { edits } = adapter;
    if (edits === undefined) return;
    const to = fake.places.dm;
    const id = await sendOk(adapter, { to, text: 'one' });
    for (const [text, final] of [
      ['one **tw', false],
      ['one **two**', true],
      ['one **two**', true],
    ] as const) {
      const result = await edits.edit(id, { to, text, idempotencyKey: text }, final, signal());
      assert.ok(result.ok, 'an edit that changes nothing is none that fails');
      assert.equal(result.messageId, id);
    }
    assert.deepEqual(
      fake.shown(to).map(({ text }) => text),
      ['one two'],
    );
    const unknown = await edits.edit('999999', { to, text: 'x', idempotencyKey: 'x' }, true, signal());
    assert.equal(unknown.ok, false);
    if (edits.remove === undefined) return;
    assert.equal((await edits.remove(to, id, signal())).ok, true);
    assert.deepEqual(fake.shown(to), []);
  });

  connected('files are sent with their captions', async ({ fake, adapter }, t) => {
    const { files } = adapter;
    if (files === undefined) return;
    const folder = mkdtempSync(join(tmpdir(), 'files-'));
    t.after(() => rmSync(folder, { recursive: true, force: true }));
    const path = join(folder, 'a "report" é.pdf');
    writeFileSync(path, 'the report');
    const to = fake.places.thread ?? fake.places.group;
    const file = { to, kind: 'document', path, name: 'a "report" é.pdf', idempotencyKey: 'f1' } as const;
    const sent = await files.send({ ...file, caption: 'a **report**' }, signal());
    assert.ok(sent.ok, 'it is sent');
    const shown = fake.shown(to).at(-1);
    assert.equal(shown?.file?.name, 'a "report" é.pdf');
    assert.equal(Buffer.from(shown?.file?.bytes ?? []).toString(), 'the report');
    if (shown?.text !== '') assert.equal(shown?.text, 'a report');
    const missing = await files.send({ ...file, path: join(folder, 'gone.pdf') }, signal());
    assert.ok(!missing.ok && !missing.error.includes(folder), 'a path is nobody’s business');
  });

  connected('it is seen that the bot writes', async ({ fake, adapter }) => {
    if (adapter.typing === undefined) return;
    await adapter.typing.show(fake.places.dm, signal());
    assert.equal(fake.typed(fake.places.dm), 1);
    assert.ok(adapter.typing.everyMs >= 1000);
  });

  connected('a question is answered by pressing, and closed', async ({ fake, host, adapter }) => {
    const { prompts } = adapter;
    if (prompts === undefined || fake.press === undefined) return;
    const to = fake.places.dm;
    const prompt: Prompt = {
      to,
      id: 'prompt_01234567890-ABCDE',
      text: 'May it run `rm -rf build/*`?',
      options: [
        { id: 'once', label: 'Once' },
        { id: 'never_16_chars-x', label: 'Deny' },
      ],
      idempotencyKey: 'p1',
    };
    const sent = await prompts.show(prompt, signal());
    assert.ok(sent.ok && sent.messageId !== null);
    const shown = fake.shown(to).at(-1);
    assert.match(shown?.text ?? '', /May it run rm -rf build\/\*\?/);
    assert.deepEqual(shown?.buttons, ['Once', 'Deny']);
    host.whenPressed(async ({ source }) => {
      if (source.user_id !== host.presses[0]?.source.user_id) return { as: 'denied' };
      return host.presses.length > 1 ? { as: 'stale' } : { as: 'done', text: 'It will not run.' };
    });
    await fake.press(sent.messageId, 'Deny', 'friend');
    assert.equal(host.presses[0]?.promptId, prompt.id);
    assert.equal(host.presses[0]?.optionId, 'never_16_chars-x');
    assert.equal(host.presses[0]?.source.chat_id, to.chatId);
    await fake.press(sent.messageId, 'Once', 'stranger');
    assert.notEqual(host.presses[1]?.source.user_id, host.presses[0]?.source.user_id);
    await prompts.close(prompt, sent.messageId, 'Denied.', signal());
    assert.deepEqual(fake.shown(to).at(-1)?.buttons, []);
    assert.match(fake.shown(to).at(-1)?.text ?? '', /Denied\./);
  });

  connected('a connection that breaks is made again, later each time', async ({ fake, host }) => {
    await fake.stop();
    await until(() => host.sleeps.length >= 3);
    const [first = 0, second = 0, third = 0] = host.sleeps;
    assert.ok(first <= second && second <= third && first < third, host.sleeps.slice(0, 3).join(', '));
    await fake.start();
    await fake.write({ in: fake.places.dm, text: 'missed' });
    // It may have given up meanwhile: then it says so, and the gateway connects anew.
    await until(() => host.accepted.length === 1 || host.failures.length === 1);
    for (const { retryable } of host.failures) assert.equal(retryable, true);
    assert.ok(host.failures.length <= 1, 'told once');
  });

  connected('ending does not wait for the next attempt', async ({ fake, host, adapter }) => {
    host.holdClock();
    await fake.stop();
    await until(() => host.sleeps.length >= 1);
    await adapter.disconnect();
    const sleeps = host.sleeps.length;
    await new Promise((resolve) => setTimeout(resolve, 20));
    assert.equal(host.sleeps.length, sleeps);
    assert.deepEqual(host.failures, []);
    await fake.start();
  });

  check('without a connection it can send', async ({ fake, adapter, host }) => {
    await sendOk(adapter, { to: fake.places.dm, text: hello });
    assert.equal(fake.shown(fake.places.dm).at(-1)?.text, hello);
    assert.deepEqual(host.locks, [], 'beside a gateway that is running');
  });

  connected('of a chat it knows the name; of none nothing', async ({ fake, adapter }) => {
    const info = await adapter.chatInfo(fake.places.group.chatId, signal());
    assert.ok(info !== undefined && info.name !== '' && info.type !== '');
    assert.equal(await adapter.chatInfo('-999999', signal()), undefined);
  });
}

function message(given: Omit<OutgoingText, 'idempotencyKey'> & { readonly idempotencyKey?: string }): OutgoingText {
  return { idempotencyKey: `key of ${given.text}`, ...given };
}

async function sendOk(adapter: PlatformAdapter, given: Omit<OutgoingText, 'idempotencyKey'>): Promise<string> {
  const result: SendResult = await adapter.send(message(given), signal());
  assert.ok(result.ok, result.ok ? '' : `${result.kind}: ${result.error}`);
  const { messageId }: Sent = result;
  assert.ok(messageId !== null);
  return messageId;
}

async function connectError(adapter: PlatformAdapter): Promise<PlatformError> {
  try {
    await adapter.connect(signal());
  } catch (error) {
    assert.ok(error instanceof PlatformError, String(error));
    return error;
  }
  throw new Error('it connected');
}

async function theOnly(host: FakeHost): Promise<MessageEvent> {
  await until(() => host.accepted.length > 0);
  const [event] = host.accepted;
  assert.ok(event !== undefined);
  assert.equal(host.accepted.length, 1);
  return event;
}
