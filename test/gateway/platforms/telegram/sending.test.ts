import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { inspect } from 'node:util';
import { startProxy } from '../../../fakes/proxy-server.ts';
import { openTelegram, signal } from './open-telegram.ts';

const to = { chatId: '1001', threadId: null };

function folder(t: TestContext): string {
  const path = mkdtempSync(join(tmpdir(), 'telegram-'));
  t.after(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

test('every character that Telegram’s markup knows is shown as it was written', async (t) => {
  const { adapter, fake } = await openTelegram(t);
  const text = String.raw`1. a_b (c) [d] ~e~ > f # g + h - i = j | k { l } m! n\ o`;
  const sent = await adapter.send({ to, text, idempotencyKey: 'a' }, signal());
  assert.ok(sent.ok);
  assert.equal(fake.shown(to)[0]?.text, text);
});

test('what is not important makes no sound, unless everything shall', async (t) => {
  for (const [notifications, notify, silent] of [
    ['important', false, true],
    ['important', true, false],
    ['important', undefined, false],
    ['all', false, false],
  ] as const) {
    const { adapter, fake } = await openTelegram(t, {}, { HERMES_TELEGRAM_NOTIFICATIONS: notifications });
    const given = notify === undefined ? {} : { notify };
    await adapter.send({ to, text: 'x', idempotencyKey: 'a', ...given }, signal());
    assert.equal(fake.server.chats.messages.get(1001)?.[0]?.silent, silent, `${notifications} ${notify}`);
  }
});

test('previews of links can be left out', async (t) => {
  const { adapter, fake } = await openTelegram(t, { disable_link_previews: true });
  await adapter.send({ to, text: 'x', idempotencyKey: 'a' }, signal());
  assert.deepEqual(fake.server.requests[0]?.args['link_preview_options'], { is_disabled: true });
});

test('a group that became another one, and a topic that is gone, do not lose a message', async (t) => {
  const { adapter, fake } = await openTelegram(t);
  fake.server.chats.moved.set(-500, -1002);
  assert.equal(
    (await adapter.send({ to: { chatId: '-500', threadId: null }, text: 'x', idempotencyKey: 'a' }, signal())).ok,
    true,
  );
  assert.equal(fake.shown(fake.places.otherGroup).length, 1);
  const gone = { chatId: '-1001', threadId: '99' };
  assert.equal((await adapter.send({ to: gone, text: 'y', idempotencyKey: 'b' }, signal())).ok, true);
  assert.equal(fake.shown(fake.places.group)[0]?.text, 'y');
  fake.server.chats.moved.set(-501, -502);
  fake.server.chats.moved.set(-502, -501);
  assert.equal(
    (await adapter.send({ to: { chatId: '-501', threadId: null }, text: 'x', idempotencyKey: 'c' }, signal())).ok,
    false,
  );
});

test('the General topic has no number of its own', async (t) => {
  const { adapter, fake } = await openTelegram(t);
  await adapter.send({ to: { chatId: '-1001', threadId: '1' }, text: 'x', idempotencyKey: 'a' }, signal());
  assert.equal(fake.server.requests[0]?.args['message_thread_id'], undefined);
});

test('a text that is too long for Telegram is told as such', async (t) => {
  const { adapter } = await openTelegram(t);
  const result = await adapter.send({ to, text: 'x'.repeat(4097), idempotencyKey: 'a' }, signal());
  assert.ok(!result.ok && result.kind === 'too_long');
  const exact = await adapter.send({ to, text: '.'.repeat(4096), idempotencyKey: 'b' }, signal());
  assert.equal(exact.ok, true, 'what escapes markup does not count');
});

test('an answer that is still being written may end within its markup', async (t) => {
  const { adapter, fake } = await openTelegram(t);
  const sent = await adapter.send({ to, text: 'a', idempotencyKey: 'a' }, signal());
  assert.ok(sent.ok && sent.messageId !== null);
  fake.trouble({ as: 'bad_format' });
  const edited = await adapter.edits?.edit(
    sent.messageId,
    { to, text: '**a** b', idempotencyKey: 'a' },
    false,
    signal(),
  );
  assert.equal(edited?.ok, true);
  assert.equal(fake.shown(to)[0]?.raw, '**a** b');
  fake.trouble({ as: 'bad_format' });
  const final = await adapter.edits?.edit(
    sent.messageId,
    { to, text: '**a** b c', idempotencyKey: 'a' },
    true,
    signal(),
  );
  assert.ok(final?.ok === false && final.kind === 'bad_format');
});

test('drafts are shown in private chats', async (t) => {
  const { adapter, fake } = await openTelegram(t);
  assert.equal(adapter.drafts?.supports(to), true);
  assert.equal(adapter.drafts.supports(fake.places.group), false);
  assert.equal((await adapter.drafts.show(to, 5, `start ${'x'.repeat(5000)}`, signal())).ok, true);
  assert.partialDeepStrictEqual(fake.server.chats.drafts, [{ chat: 1001, id: 5, text: 'x'.repeat(4096) }]);
  const refused = await adapter.drafts.show(fake.places.group, 5, 'x', signal());
  assert.ok(!refused.ok && refused.kind === 'unsupported');
});

test('reactions are off unless they are wanted, and are those that Telegram has', async (t) => {
  assert.equal((await openTelegram(t)).adapter.reactions, undefined);
  const { adapter, fake } = await openTelegram(t, {}, { TELEGRAM_REACTIONS: 'true' });
  const id = await fake.write({ in: to, text: 'x' });
  const now = () => fake.server.chats.reactions.get(`1001:${id}`);
  await adapter.reactions?.set(to, id, '👀', signal());
  assert.equal(now(), '👀');
  await adapter.reactions?.set(to, id, '✅', signal());
  assert.equal(now(), '👍');
  await adapter.reactions?.set(to, id, undefined, signal());
  assert.equal(now(), undefined);
  await assert.rejects(async () => await adapter.reactions?.set(to, id, '🦖', signal()), /no reaction/);
});

test('each kind of file is sent as what it is, and what Telegram does not show as that kind is told', async (t) => {
  const { adapter, fake } = await openTelegram(t);
  const path = folder(t);
  const send = async (kind: 'image' | 'animation' | 'voice' | 'audio' | 'video' | 'document', name: string) => {
    writeFileSync(join(path, name), name);
    const result = await adapter.files?.send(
      { to, kind, path: join(path, name), name, idempotencyKey: name },
      signal(),
    );
    if (result?.ok === false) return result.kind;
    return fake.server.requests.at(-1)?.method;
  };
  assert.equal(await send('image', 'a.png'), 'sendPhoto');
  assert.equal(await send('animation', 'a.gif'), 'sendAnimation');
  assert.equal(await send('voice', 'a.ogg'), 'sendVoice');
  assert.equal(await send('voice', 'a.mp3'), 'sendAudio');
  assert.equal(await send('audio', 'b.mp3'), 'sendAudio');
  assert.equal(await send('video', 'a.mp4'), 'sendVideo');
  assert.equal(await send('document', 'a.svg'), 'sendDocument');
  assert.equal(await send('image', 'b.svg'), 'unsupported');
  assert.equal(await send('audio', 'a.wav'), 'unsupported');
  assert.equal(await send('video', 'a.mkv'), 'unsupported');
});

test('a picture that Telegram cannot take, and a file that is too large, are told before they are sent', async (t) => {
  const { adapter, fake } = await openTelegram(t);
  const path = join(folder(t), 'a.png');
  writeFileSync(path, Buffer.alloc(11 * 1024 * 1024));
  const file = { to, kind: 'image', path, name: 'a.png', idempotencyKey: 'a' } as const;
  const tooLarge = await adapter.files?.send(file, signal());
  assert.ok(tooLarge?.ok === false && tooLarge.kind === 'unsupported' && /10 MiB/.test(tooLarge.error));
  assert.equal(fake.requests, 0);
  assert.equal((await adapter.files?.send({ ...file, kind: 'document' }, signal()))?.ok, true);
  writeFileSync(path, 'small');
  fake.server.fault('sendPhoto', { status: 400, description: 'Bad Request: PHOTO_INVALID_DIMENSIONS' });
  const odd = await adapter.files?.send(file, signal());
  assert.ok(odd?.ok === false && odd.kind === 'unsupported');
});

test('several pictures are one album, with their captions; what is refused of one of them is sent of none', async (t) => {
  const { adapter, fake } = await openTelegram(t);
  const path = folder(t);
  const file = (name: string, caption?: string) => {
    writeFileSync(join(path, name), name);
    const rest = caption === undefined ? {} : { caption };
    return { to, kind: 'image', path: join(path, name), name, idempotencyKey: name, ...rest } as const;
  };
  const send = async (...files: ReturnType<typeof file>[]) => await adapter.files?.albums?.send(files, signal());
  const sent = await send(file('a.png', 'the **first**'), file('b.jpg'), file('c.webp', 'the last'));
  const stored = fake.server.chats.messages.get(Number(to.chatId)) ?? [];
  assert.deepEqual(
    stored.map(({ text, file: of }) => [of?.name, Buffer.from(of?.bytes ?? []).toString(), text]),
    [
      ['a.png', 'a.png', 'the first'],
      ['b.jpg', 'b.jpg', ''],
      ['c.webp', 'c.webp', 'the last'],
    ],
  );
  assert.equal(new Set(stored.map(({ media_group_id: group }) => group)).size, 1);
  assert.deepEqual(sent, { ok: true, messageId: String(stored.at(-1)?.message_id) });
  const requests = fake.requests;
  for (const refused of [
    await send(file('d.png'), file('e.svg')),
    await send(file('d.png'), { ...file('f.png'), path: join(path, 'gone.png') }),
  ])
    assert.equal(refused?.ok, false);
  assert.equal(fake.requests, requests, 'it is told before anything is sent');
  fake.server.fault('sendMediaGroup', { status: 400, description: 'Bad Request: group send failed' });
  assert.equal((await send(file('g.png'), file('h.png')))?.ok, false);
  fake.trouble({ as: 'bad_format' });
  assert.equal((await send(file('g.png', '**plain**'), file('h.png')))?.ok, true);
  assert.equal(stored.at(-2)?.raw, '**plain**');
});

test('a caption that is refused is sent plain, and one that is too long is told', async (t) => {
  const { adapter, fake } = await openTelegram(t);
  const path = join(folder(t), 'a.png');
  writeFileSync(path, 'x');
  const file = { to, kind: 'image', path, name: 'a.png', idempotencyKey: 'a' } as const;
  fake.trouble({ as: 'bad_format' });
  assert.equal((await adapter.files?.send({ ...file, caption: '**a**' }, signal()))?.ok, true);
  assert.equal(fake.shown(to)[0]?.raw, '**a**');
  const long = await adapter.files?.send({ ...file, caption: 'x'.repeat(1025) }, signal());
  assert.ok(long?.ok === false && long.kind === 'too_long');
});

test('files above what bots are given are told in a line', async (t) => {
  const { adapter, fake } = await openTelegram(t);
  const large = { kind: 'document', reference: 'large', size: 21 * 1024 * 1024 } as const;
  await assert.rejects(
    async () => await adapter.files?.fetch(large, signal()),
    /^Error: The file is larger than the 20 MiB/,
  );
  assert.equal(fake.requests, 0);
  fake.server.files.set('large', { name: 'a', bytes: new Uint8Array(21 * 1024 * 1024) });
  await assert.rejects(
    async () => await adapter.files?.fetch({ kind: 'document', reference: 'large' }, signal()),
    /20 MiB/,
  );
  await assert.rejects(
    async () => await adapter.files?.fetch({ kind: 'document', reference: 'gone' }, signal()),
    /could not be fetched/,
  );
});

test('a server of one’s own gives files from the disk, when that is said', async (t) => {
  const path = join(folder(t), 'file.bin');
  writeFileSync(path, 'on the disk');
  for (const [local_mode, expected] of [
    [true, 'on the disk'],
    [false, undefined],
  ] as const) {
    const { adapter, fake } = await openTelegram(t, { local_mode });
    fake.server.localPaths.set('local', path);
    const reading = async () => {
      const bytes: Uint8Array[] = [];
      for await (const chunk of (await adapter.files?.fetch({ kind: 'document', reference: 'local' }, signal())) ?? [])
        bytes.push(chunk);
      return Buffer.concat(bytes).toString();
    };
    if (expected === undefined) await assert.rejects(reading(), /status 404/);
    else assert.equal(await reading(), expected);
  }
});

test('the address of a server may end as the original wants it', async (t) => {
  const { fake } = await openTelegram(t);
  const given = { base_url: `${fake.server.url}/bot`, base_file_url: `${fake.server.url}/file/bot/` };
  const { adapter } = await openTelegram(t, given);
  assert.equal((await adapter.send({ to, text: 'x', idempotencyKey: 'a' }, signal())).ok, true);
  fake.server.files.set('f', { name: 'f', bytes: Buffer.from('bytes') });
  const chunks: Uint8Array[] = [];
  for await (const chunk of (await adapter.files?.fetch({ kind: 'document', reference: 'f' }, signal())) ?? [])
    chunks.push(chunk);
  assert.equal(Buffer.concat(chunks).toString(), 'bytes');
});

test('Telegram can be reached through a proxy of its own', async (t) => {
  const { fake } = await openTelegram(t);
  await using proxy = await startProxy(Number(new URL(fake.server.url).port));
  const { adapter } = await openTelegram(t, { base_url: 'http://telegram.test' }, { TELEGRAM_PROXY: proxy.url });
  assert.equal((await adapter.send({ to, text: 'x', idempotencyKey: 'a' }, signal())).ok, true);
  assert.match(proxy.asked.join(), /http:\/\/telegram\.test|telegram\.test:80/);
});

test('buttons keep to what Telegram can carry, and every press is answered', async (t) => {
  const { adapter, fake, host } = await openTelegram(t);
  await adapter.connect(signal());
  const options = Array.from({ length: 10 }, (_, index) => ({
    id: `option_number_${index}0`,
    label: `${index} ${'x'.repeat(index * 12)}`,
  }));
  const prompt = {
    to,
    id: 'abcdefghijklmnopqrstuvwx',
    text: 'Which?',
    options,
    kind: 'approval' as const,
    idempotencyKey: 'a',
  };
  const sent = await adapter.prompts?.show(prompt, signal());
  assert.ok(sent?.ok === true && sent.messageId !== null);
  const rows = fake.server.chats.messages.get(1001)?.[0]?.keyboard ?? [];
  for (const row of rows) assert.ok(row.length === 1 || row.reduce((sum, { text }) => sum + text.length, 0) <= 24);
  for (const { text } of rows.flat()) assert.ok(text.length <= 64);
  assert.equal(await fake.press(sent.messageId, '0 ', 'friend'), 'done');
  host.whenPressed(async () => ({ as: 'stale' }));
  assert.match((await fake.press(sent.messageId, '0 ', 'friend')) ?? '', /not open any more/);
  host.whenPressed(async () => ({ as: 'denied' }));
  assert.match((await fake.press(sent.messageId, '0 ', 'stranger')) ?? '', /may not/);
  host.whenPressed(async () => {
    throw new Error('broken');
  });
  assert.match((await fake.press(sent.messageId, '0 ', 'friend')) ?? '', /press again/);
});

test('a topic is made where there are topics', async (t) => {
  const { adapter } = await openTelegram(t);
  const made = await adapter.threads?.create('-1001', 'n'.repeat(200), signal());
  assert.equal(made?.chatId, '-1001');
  assert.match(made.threadId ?? '', /^\d+$/);
  assert.equal(await adapter.threads?.create('-1002', 'x', signal()), undefined);
});

test('the folder of a server of one’s own, which is named by the token, is told to nobody', async (t) => {
  const { adapter, fake } = await openTelegram(t, { local_mode: true });
  fake.server.localPaths.set('l', `/nowhere/${fake.server.token}/documents/file_0.txt`);
  const bytes = await adapter.files?.fetch({ kind: 'document', reference: 'l' }, signal());
  const reason: unknown = await (async () => {
    for await (const chunk of bytes ?? []) assert.fail(`${chunk.length} bytes came`);
  })().catch((error: unknown) => error);
  assert.match(String(reason), /ENOENT.*local_mode/);
  assert.ok(!inspect(reason).includes(fake.server.token));
});

test('a question whose outcome does not fit into it loses at least its buttons', async (t) => {
  const { adapter, fake } = await openTelegram(t);
  await adapter.connect(signal());
  const prompt = {
    to,
    id: 'p1',
    kind: 'approval' as const,
    text: 'x'.repeat(4090),
    options: [{ id: 'once', label: 'Once' }],
    idempotencyKey: 'k',
  };
  const sent = await adapter.prompts?.show(prompt, signal());
  assert.ok(sent?.ok === true && sent.messageId !== null);
  await adapter.prompts?.close(prompt, sent.messageId, 'Allowed once.', signal());
  assert.deepEqual(fake.shown(to).at(-1)?.buttons, []);
});

test('a cut never leaves half a character', async (t) => {
  const { adapter, fake } = await openTelegram(t);
  await adapter.connect(signal());
  const options = [{ id: 'one', label: `${'x'.repeat(62)}🙂🙂` }];
  await adapter.prompts?.show(
    { to, id: 'p2', text: 'Which?', options, kind: 'approval' as const, idempotencyKey: 'k' },
    signal(),
  );
  await adapter.drafts?.show(to, 7, `🙂${'x'.repeat(4095)}`, signal());
  const told = JSON.stringify(fake.server.requests);
  assert.doesNotMatch(told, /\\ud[89a-f]/i);
});
