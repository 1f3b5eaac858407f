/** Matrix on the real Synapse, with the real client of Element's makers on the other side of an encrypted room. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { Attachment, EncryptedAttachment } from '@matrix-org/matrix-sdk-crypto-wasm';
import * as sdk from 'matrix-js-sdk';
import type { PlatformAdapter } from '../../src/gateway/platform/adapter.ts';
import type { AdapterHost } from '../../src/gateway/platform/adapter-host.ts';
import { platform } from '../../src/gateway/platforms/matrix/matrix.ts';
import { type FakeHost, fakeHost, until } from '../gateway/fake-host.ts';
import { startSynapse, type Synapse } from './synapse.ts';

const passwords = { robot: 'the password of the robot', alice: 'the password of alice' };
const signal = (): AbortSignal => AbortSignal.timeout(60_000);

test('in an encrypted room messages, answers and files are read on both sides, after a restart too', async (t) => {
  const server = await startSynapse(t);
  if (typeof server === 'string') return t.skip(server);
  const robotId = await server.register('robot', passwords.robot);
  const aliceId = await server.register('alice', passwords.alice);
  const first = robot(t, server, robotId);
  await first.adapter.connect(signal());
  const alice = await person(t, server, aliceId);
  const { room_id: room } = await alice.client.createRoom({
    is_direct: true,
    invite: [robotId],
    preset: sdk.Preset.TrustedPrivateChat,
    initial_state: [{ type: 'm.room.encryption', state_key: '', content: { algorithm: 'm.megolm.v1.aes-sha2' } }],
  });
  await until(() => alice.client.getRoom(room)?.getMember(robotId)?.membership === 'join', 'the robot in the room');

  await alice.client.sendTextMessage(room, 'can you read this?');
  await until(() => first.host.accepted.length === 1, 'the first message');
  const [event] = first.host.accepted;
  assert.equal(event?.text, 'can you read this?');
  assert.equal(event?.source.chat_type, 'dm');
  const to = { chatId: room, threadId: null };
  const answer = { to, text: 'yes, **every** word', idempotencyKey: 'answer-1' };
  const sent = await first.adapter.send(answer, signal());
  assert.ok(sent.ok, sent.ok ? '' : sent.error);
  await until(() => alice.read.includes('yes, **every** word'), 'the answer');
  assert.deepEqual(await first.adapter.send(answer, signal()), sent, 'the same key is the same message');

  await first.adapter.disconnect();
  await alice.client.sendTextMessage(room, 'while you were out');
  const second = robot(t, server, robotId, first.host);
  await second.adapter.connect(signal());
  await until(() => second.host.accepted.length === 1, 'the message that was sent meanwhile');
  assert.equal(second.host.accepted[0]?.text, 'while you were out');
  assert.equal(keyOf(second.host), keyOf(first.host), 'the device is the same');
  assert.deepEqual(await second.adapter.send(answer, signal()), sent, 'also after the restart');
  assert.ok((await second.adapter.send({ to, text: 'back again', idempotencyKey: 'answer-2' }, signal())).ok);
  await until(() => alice.read.includes('back again'), 'the answer after the restart');

  await filesGoBothWays(t, alice, second, room);
  assert.equal(alice.unreadable, 0);
});

interface Robot {
  readonly host: FakeHost;
  readonly adapter: PlatformAdapter;
}

/** With `before`, the same home after a restart. */
function robot(t: TestContext, server: Synapse, id: string, before?: AdapterHost): Robot {
  const variables = { MATRIX_HOMESERVER: server.url, MATRIX_USER_ID: id, MATRIX_PASSWORD: passwords.robot };
  const fresh = fakeHost(platform, { variables, after: (clean) => t.after(clean) });
  const host = before === undefined ? fresh : { ...fresh, notes: before.notes, folder: () => before.folder() };
  const adapter = platform.create(host);
  t.after(async () => await adapter.disconnect());
  return { host, adapter };
}

function keyOf({ logged }: FakeHost): string | undefined {
  return logged.join('\n').match(/has the key (\S+)/)?.[1];
}

const nothing = (): void => undefined;
const silent: sdk.ICreateClientOpts['logger'] & object = {
  trace: nothing,
  debug: nothing,
  info: nothing,
  warn: nothing,
  error: nothing,
  getChild: () => silent,
};

interface Alice {
  readonly client: sdk.MatrixClient;
  readonly read: string[];
  readonly files: Record<string, unknown>[];
  unreadable: number;
}

async function person(t: TestContext, server: Synapse, id: string): Promise<Alice> {
  const login = await sdk.createClient({ baseUrl: server.url, logger: silent }).loginRequest({
    type: 'm.login.password',
    identifier: { type: 'm.id.user', user: id },
    password: passwords.alice,
  });
  const client = sdk.createClient({
    baseUrl: server.url,
    logger: silent,
    accessToken: login.access_token,
    userId: id,
    deviceId: login.device_id,
  });
  const alice: Alice = { client, read: [], files: [], unreadable: 0 };
  await client.initRustCrypto({ useIndexedDB: false });
  client.on(sdk.MatrixEventEvent.Decrypted, (event) => {
    if (event.isDecryptionFailure()) alice.unreadable += 1;
    const { body, file } = event.getContent<Record<string, unknown>>();
    if (event.getSender() !== id) alice.read.push(String(body));
    if (event.getSender() !== id && file !== undefined) alice.files.push(file as Record<string, unknown>);
  });
  await client.startClient({ pollTimeout: 5000 });
  t.after(() => client.stopClient());
  return alice;
}

async function filesGoBothWays(t: TestContext, alice: Alice, { host, adapter }: Robot, room: string): Promise<void> {
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
  await until(() => alice.files.length === 1, 'the file');
  const [file] = alice.files;
  const url =
    alice.client.mxcUrlToHttp(String(file?.['url']), undefined, undefined, undefined, false, true, true) ?? '';
  const headers = { authorization: `Bearer ${alice.client.getAccessToken()}` };
  const stored = new Uint8Array(await (await fetch(url, { headers })).arrayBuffer());
  const opened = Attachment.decrypt(new EncryptedAttachment(stored, JSON.stringify(file)));
  assert.equal(Buffer.from(opened).toString(), words);

  const locked = Attachment.encrypt(Buffer.from('a picture'));
  const info = JSON.parse(locked.mediaEncryptionInfo ?? '') as object;
  const { content_uri } = await alice.client.uploadContent(Buffer.from(locked.encryptedData), {
    type: 'application/octet-stream',
  });
  const content = {
    msgtype: 'm.image',
    body: 'a.png',
    info: { mimetype: 'image/png', size: 9 },
    file: { ...info, url: content_uri },
  };
  const before = host.accepted.length;
  await alice.client.sendMessage(room, content as never);
  await until(() => host.accepted.length === before + 1, 'the picture');
  const [attachment] = host.accepted.at(-1)?.attachments ?? [];
  assert.equal(attachment?.kind, 'image');
  const chunks: Uint8Array[] = [];
  if (attachment !== undefined)
    for await (const chunk of (await adapter.files?.fetch(attachment, signal())) ?? []) chunks.push(chunk);
  assert.equal(Buffer.concat(chunks).toString(), 'a picture');
}
