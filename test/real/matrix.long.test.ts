/** Matrix on the real Synapse, with the real client of Element's makers on the other side of an encrypted room. */
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { Attachment, EncryptedAttachment } from '@matrix-org/matrix-sdk-crypto-wasm';
import { type FakeHost, until } from '../gateway/fake-host.ts';
import type { Person } from './matrix-person.ts';
import { deviceOf, open, passwords, type Robot, robot, roomOf, said, signal } from './matrix-robot.ts';

async function reads(alice: Person, body: string): Promise<void> {
  await until(async () => (await alice.heard()).some(({ content }) => content['body'] === body), body);
}

test('in an encrypted room messages, answers and files are read on both sides, after a restart too', async (t) => {
  const opened = await open(t);
  if (typeof opened === 'string') return t.skip(opened);
  const { server, robotId, alice } = opened;
  const first = robot(t, server, robotId);
  await first.adapter.connect(signal());
  const room = await roomOf(alice, robotId);
  await alice.send(room, said('can you read this?'));
  await until(() => first.host.accepted.length === 1, 'the first message');
  const [event] = first.host.accepted;
  assert.equal(event?.text, 'can you read this?');
  assert.equal(event?.source.chat_type, 'dm');
  const to = { chatId: room, threadId: null };
  const answer = { to, text: 'yes, **every** word', idempotencyKey: 'answer-1' };
  const sent = await first.adapter.send(answer, signal());
  assert.ok(sent.ok, sent.ok ? '' : sent.error);
  await reads(alice, 'yes, **every** word');
  assert.deepEqual(await first.adapter.send(answer, signal()), sent, 'the same key is the same message');

  await first.adapter.disconnect();
  await alice.send(room, said('while you were out'));
  const second = robot(t, server, robotId, { before: first.host });
  await second.adapter.connect(signal());
  await until(() => second.host.accepted.length === 1, 'the message that was sent meanwhile');
  assert.equal(second.host.accepted[0]?.text, 'while you were out');
  assert.equal(keyOf(second.host), keyOf(first.host), 'the device is the same');
  assert.deepEqual(await second.adapter.send(answer, signal()), sent, 'also after the restart');
  assert.ok((await second.adapter.send({ to, text: 'back again', idempotencyKey: 'answer-2' }, signal())).ok);
  await reads(alice, 'back again');

  await editsGoBothWays(alice, second, room);
  await filesGoBothWays(t, alice, second, room);
  assert.equal(await alice.unreadable(), 0);
});

test('a robot that ends in the middle of an answer of the server loses and doubles nothing', async (t) => {
  const opened = await open(t);
  if (typeof opened === 'string') return t.skip(opened);
  const { server, robotId, alice } = opened;
  const first = robot(t, server, robotId);
  await first.adapter.connect(signal());
  const room = await roomOf(alice, robotId);
  await first.adapter.disconnect();
  const texts = Array.from({ length: 70 }, (_, index) => `number ${index}`);
  for (const text of texts) await alice.send(room, said(text));
  // A session of messages of its own, the key of which comes with the same answer as the messages.
  const kept: string[] = [];
  let before = first.host;
  for (const breakAt of [3, 30, 66]) {
    const broken = robot(t, server, robotId, { before });
    broken.host.whenAccepting(async ({ text }) => {
      if (kept.length >= breakAt) throw new Error('the machine stops');
      if (!kept.includes(text)) kept.push(text);
      return 'accepted';
    });
    await broken.adapter.connect(signal());
    await until(() => broken.host.logged.some((line) => line.includes('the machine stops')), `the end at ${breakAt}`);
    await broken.adapter.disconnect();
    before = broken.host;
  }
  const last = robot(t, server, robotId, { before });
  last.host.whenAccepting(async ({ text }) => {
    if (!kept.includes(text)) kept.push(text);
    return 'accepted';
  });
  await last.adapter.connect(signal());
  await until(() => kept.length === texts.length, 'all messages');
  assert.deepEqual(kept, texts, 'in their order');
});

test('with its recovery key a new device of the robot is trusted, and reads what was said before it', async (t) => {
  const opened = await open(t);
  if (typeof opened === 'string') return t.skip(opened);
  const { server, robotId, alice } = opened;
  const folder = mkdtempSync(join(tmpdir(), 'recovery-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, 'recovery-key');
  const variables = { MATRIX_RECOVERY_KEY_OUTPUT_FILE: file };
  const first = robot(t, server, robotId, { variables });
  await first.adapter.connect(signal());
  const key = readFileSync(file, 'utf8').trim();
  assert.match(key, /^[A-Za-z0-9]{4}( [A-Za-z0-9]{1,4})+$/);
  assert.equal(statSync(file).mode & 0o777, 0o600);
  assert.ok(!first.host.logged.join('\n').includes(key));
  const room = await roomOf(alice, robotId);
  await until(async () => await alice.isSigned(robotId, deviceOf(first.host)), 'the signature of the first device');
  const old = await alice.send(room, said('the word is mellon'));
  await until(() => first.host.accepted.length === 1, 'the first message');
  await until(async () => (await server.copies(robotId, passwords.robot)) > 0, 'the copy of the key');
  await first.adapter.disconnect();

  // The same home starts again with the same settings: nothing is made anew.
  const again = robot(t, server, robotId, { before: first.host, variables });
  await again.adapter.connect(signal());
  assert.equal(readFileSync(file, 'utf8').trim(), key);
  await again.adapter.disconnect();

  const wrong = robot(t, server, robotId, {
    variables: { MATRIX_RECOVERY_KEY: key.slice(0, -1) + (key.endsWith('1') ? '2' : '1') },
  });
  await assert.rejects(wrong.adapter.connect(signal()), { code: 'matrix_wrong_recovery_key', retryable: false });

  const second = robot(t, server, robotId, { variables: { MATRIX_RECOVERY_KEY: key } });
  await second.adapter.connect(signal());
  assert.notEqual(deviceOf(second.host), deviceOf(first.host));
  await until(async () => await alice.isSigned(robotId, deviceOf(second.host)), 'the signature of the new device');
  const reply = said('what was it?', { 'm.relates_to': { 'm.in_reply_to': { event_id: old } } });
  await alice.send(room, reply);
  const question = () => second.host.accepted.find(({ text }) => text === 'what was it?');
  await until(() => question() !== undefined, 'the question');
  assert.equal(question()?.reply_to?.text, 'the word is mellon');
  assert.equal(await alice.unreadable(), 0);
});

function keyOf({ logged }: FakeHost): string | undefined {
  return logged.join('\n').match(/has the key (\S+)/)?.[1];
}

async function editsGoBothWays(alice: Person, { host, adapter }: Robot, room: string): Promise<void> {
  const to = { chatId: room, threadId: null };
  const sent = await adapter.send({ to, text: 'a draft', idempotencyKey: 'e-1' }, signal());
  assert.ok(sent.ok && sent.messageId !== null);
  const edited = await adapter.edits?.edit(
    sent.messageId,
    { to, text: 'the end', idempotencyKey: 'e-2' },
    true,
    signal(),
  );
  assert.equal(edited?.ok, true);
  await reads(alice, '* the end');
  const event = (await alice.heard()).find(({ content }) => content['body'] === '* the end');
  assert.deepEqual(event?.content['m.relates_to'], { rel_type: 'm.replace', event_id: sent.messageId });

  const before = host.accepted.length;
  const id = await alice.send(room, said('teh question'));
  const changed = { 'm.new_content': said('the question'), 'm.relates_to': { rel_type: 'm.replace', event_id: id } };
  await alice.send(room, said('* the question', changed));
  await alice.redact(room, await alice.send(room, said('never mind')));
  await alice.send(room, said('next'));
  await until(() => host.accepted.at(-1)?.text === 'next', 'what came after the edit');
  const texts = host.accepted.slice(before).map(({ text }) => text);
  assert.deepEqual(
    texts.filter((text) => text !== 'never mind'),
    ['teh question', 'next'],
  );
}

async function filesGoBothWays(t: TestContext, alice: Person, { host, adapter }: Robot, room: string): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'files-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const path = join(folder, 'report.txt');
  const words = 'the report '.repeat(20_000);
  writeFileSync(path, words);
  const to = { chatId: room, threadId: null };
  const sent = await adapter.files?.send(
    { to, kind: 'document', path, name: 'report.txt', idempotencyKey: 'f' },
    signal(),
  );
  assert.ok(sent?.ok === true, sent?.ok === false ? sent.error : '');
  await reads(alice, 'report.txt');
  const file = (await alice.heard()).find(({ content }) => content['body'] === 'report.txt')?.content['file'];
  const stored = await alice.download((file as { url: string }).url);
  const opened = Attachment.decrypt(new EncryptedAttachment(stored, JSON.stringify(file)));
  assert.equal(Buffer.from(opened).toString(), words);

  const locked = Attachment.encrypt(Buffer.from('a picture'));
  const info = JSON.parse(locked.mediaEncryptionInfo ?? '') as object;
  const url = await alice.upload(Buffer.from(locked.encryptedData));
  const before = host.accepted.length;
  await alice.send(room, {
    msgtype: 'm.image',
    body: 'a.png',
    info: { mimetype: 'image/png', size: 9 },
    file: { ...info, url },
  });
  await until(() => host.accepted.length === before + 1, 'the picture');
  const [attachment] = host.accepted.at(-1)?.attachments ?? [];
  assert.equal(attachment?.kind, 'image');
  const chunks: Uint8Array[] = [];
  if (attachment !== undefined)
    for await (const chunk of (await adapter.files?.fetch(attachment, signal())) ?? []) chunks.push(chunk);
  assert.equal(Buffer.concat(chunks).toString(), 'a picture');
}
