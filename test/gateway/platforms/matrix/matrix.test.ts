/** What only Matrix has: edits, threads, commands with `!`, invitations, long texts, logins, and keys that outlive the process. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { MatrixApi } from '../../../../src/gateway/platforms/matrix/api.ts';
import { Machine } from '../../../../src/gateway/platforms/matrix/crypto/machine.ts';
import { platform } from '../../../../src/gateway/platforms/matrix/matrix.ts';
import { splitText } from '../../../../src/gateway/text/split.ts';
import { robot } from '../../../fakes/matrix-server.ts';
import { type FakeHost, until } from '../../fake-host.ts';
import { fred, openMatrix, room, say, signal } from './open-matrix.ts';

test('what was said before the first start, and an edit, are left alone', async (t) => {
  const { server, host, adapter } = await openMatrix(t);
  say(server, { body: 'old' }, Date.now() - 60_000);
  await adapter.connect(signal());
  const id = say(server, { body: 'new' });
  say(server, { body: '* newer', 'm.relates_to': { rel_type: 'm.replace', event_id: id } });
  say(server, { body: 'last' });
  await until(() => host.accepted.length === 2);
  assert.deepEqual(
    host.accepted.map(({ text }) => text),
    ['new', 'last'],
  );
});

test('what programs say to each other to compare devices is not said to the agent', async (t) => {
  const { server, host, adapter } = await openMatrix(t);
  await adapter.connect(signal());
  const request = { from_device: 'FREDS', methods: ['m.sas.v1'], to: robot };
  say(server, { msgtype: 'm.key.verification.request', body: 'Robot: fred would like to verify your key', ...request });
  say(server, { body: 'Robot: hello' });
  await until(() => host.accepted.length > 0);
  assert.deepEqual(
    host.accepted.map(({ text }) => text),
    ['hello'],
  );
});

test('a question in a room begins a thread, in which nobody has to call the bot again', async (t) => {
  const { server, host, adapter } = await openMatrix(t);
  await adapter.connect(signal());
  const root = say(server, { body: 'Robot: hello' });
  await until(() => host.accepted.length === 1);
  assert.equal(host.accepted[0]?.source.thread_id, root);
  const sent = await adapter.send({ to: { chatId: room, threadId: root }, text: 'yes', idempotencyKey: '1' }, signal());
  assert.equal(sent.ok, true);
  const thread = { rel_type: 'm.thread', event_id: root, is_falling_back: true };
  say(server, { body: 'and now?', 'm.mentions': {}, 'm.relates_to': thread });
  await until(() => host.accepted.length === 2);
  assert.equal(host.accepted[1]?.source.thread_id, root);
});

test('an exclamation mark stands for a slash before commands, and for itself elsewhere', async (t) => {
  const { server, host, adapter } = await openMatrix(t);
  await adapter.showCommands?.([{ name: 'stop', description: '' }], signal());
  await adapter.connect(signal());
  say(server, { body: '!stop' });
  say(server, { body: '!nice' });
  await until(() => host.accepted.length === 2);
  assert.deepEqual(
    host.accepted.map(({ text, message_type }) => [text, message_type]),
    [
      ['/stop', 'command'],
      ['!nice', 'text'],
    ],
  );
});

test('an invitation is taken from somebody who may talk to the bot, and from nobody else', async (t) => {
  const { server, host } = await openMatrix(t);
  const isAuthorized: FakeHost['isAuthorized'] = ({ user_id: id }) => Promise.resolve(id === fred);
  const adapter = platform.create({ ...host, isAuthorized });
  t.after(async () => await adapter.disconnect());
  server.invite('!bad:example.org', '@mallory:example.org', true);
  server.invite('!good:example.org', fred, true);
  await adapter.connect(signal());
  await until(() => server.joined.length === 1);
  assert.deepEqual(server.joined, ['!good:example.org']);
});

test('17,000 characters are two messages, and @room wakes nobody', async (t) => {
  const { server, adapter } = await openMatrix(t);
  const parts = splitText('word '.repeat(3400), { limit: platform.maxMessageLength, unit: platform.lengthUnit });
  assert.equal(parts.length, 2);
  for (const [index, text] of [...parts, '@room look'].entries())
    assert.ok(
      (await adapter.send({ to: { chatId: room, threadId: null }, text, idempotencyKey: String(index) }, signal())).ok,
    );
  const mentions = server.rooms.get(room)?.timeline.map(({ event }) => event.content['m.mentions']);
  assert.deepEqual(mentions, [{}, {}, {}]);
});

test('a file from an address that is not of Matrix is not fetched', async (t) => {
  const { adapter } = await openMatrix(t);
  const attachment = { kind: 'image', reference: JSON.stringify({ url: 'https://example.org/a.png' }) } as const;
  await assert.rejects(async () => await adapter.files?.fetch(attachment, signal()), /none of Matrix/);
});

test('a password is used once; after a restart the login of the last time goes on', async (t) => {
  const login = { MATRIX_ACCESS_TOKEN: '', MATRIX_USER_ID: robot.id, MATRIX_PASSWORD: robot.password };
  const { server, host, adapter } = await openMatrix(t, login);
  await adapter.connect(signal());
  await adapter.disconnect();
  const again = platform.create(host);
  await again.connect(signal());
  await again.disconnect();
  assert.equal(server.requests.filter((request) => request.endsWith('/login')).length, 1);
});

test('where encryption is required, nothing goes into a room without it', async (t) => {
  const { server, adapter } = await openMatrix(t, { MATRIX_E2EE_MODE: 'required' });
  const result = await adapter.send(
    { to: { chatId: room, threadId: null }, text: 'hi', idempotencyKey: '1' },
    signal(),
  );
  assert.ok(!result.ok && result.kind === 'forbidden');
  assert.deepEqual(server.rooms.get(room)?.timeline, []);
});

test('the keys of a device are the same after a restart', async (t) => {
  const { server, host } = await openMatrix(t);
  const folder = mkdtempSync(join(tmpdir(), 'keys-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const api = new MatrixApi({ root: server.url, token: server.token, network: {}, secrets: [] });
  const fingerprints: string[] = [];
  for (const _process of [1, 2]) {
    const machine = await Machine.open({
      folder,
      userId: robot.id,
      deviceId: robot.device,
      api,
      log: host.log,
      putInRoom: async () => await Promise.reject(new Error('there is no room')),
    });
    await machine.settle(signal());
    fingerprints.push(machine.fingerprint);
    await machine.close();
  }
  assert.equal(fingerprints[0], fingerprints[1]);
});
