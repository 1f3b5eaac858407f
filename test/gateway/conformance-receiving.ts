/** What every chat platform keeps to with what people write. */
import assert from 'node:assert/strict';
import { inspect } from 'node:util';
import { messageEvent } from '../../src/gateway/platform/message-event.ts';
import { type Checks, hello, sendOk, signal, theOnly } from './conformance-checks.ts';
import { until } from './fake-host.ts';
import type { FakePlatform } from './fake-platform.ts';

export function receiving(name: string, { check, connected }: Checks): void {
  connected('a private message is one event with everything that is known of it', async ({ fake, host }) => {
    const before = Date.now();
    const id = await fake.write({ in: fake.places.dm, text: 'hi *there* _you_' });
    const event = await theOnly(host);
    assert.equal(event.text, 'hi *there* _you_');
    assert.equal(event.message_type, 'text');
    assert.equal(event.message_id, id);
    assert.equal(event.source.platform, name);
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

  connected('a file that is not there any more is told in one line, without a secret', async ({ fake, adapter }) => {
    if (adapter.files === undefined) return;
    const fetched = async (reference: string): Promise<void> => {
      for await (const chunk of (await adapter.files?.fetch({ kind: 'document', reference }, signal())) ?? [])
        void chunk;
    };
    for (const reference of ['gone', '{"url":"mxc://example.org/gone"}', '../../etc/passwd'])
      await assert.rejects(fetched(reference), (error: Error) => {
        assert.doesNotMatch(error.message, /\n/);
        for (const secret of fake.secrets) assert.ok(!inspect(error).includes(secret));
        return true;
      });
  });

  connected('a message ends no connection, whatever stands in it', async ({ fake, host }) => {
    const texts = [
      '\u0000',
      '\ud83d',
      '\u202egnp.exe',
      '**_`[](',
      '/\u200bstop',
      '{"a":'.repeat(500),
      '🙂'.repeat(1000),
    ];
    for (const text of texts) await fake.write({ in: fake.places.dm, text });
    await fake.write({ in: fake.places.dm, text: 'the end' });
    await until(() => host.accepted.some(({ text }) => text === 'the end'));
    for (const event of host.accepted) assert.ok(messageEvent.safeParse(JSON.parse(JSON.stringify(event))).success);
    assert.deepEqual(host.failures, []);
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
}
