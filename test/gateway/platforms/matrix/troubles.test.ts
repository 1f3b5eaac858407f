/** What goes wrong on Matrix: rooms that tell nothing, invitations that fail, logins that end, keys that are damaged. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import type { Prompt } from '../../../../src/gateway/platform/adapter.ts';
import { messageEvent } from '../../../../src/gateway/platform/message-event.ts';
import { platform } from '../../../../src/gateway/platforms/matrix/matrix.ts';
import { robot } from '../../../fakes/matrix-server.ts';
import { type FakeHost, until } from '../../fake-host.ts';
import { fred, openMatrix, room, say, signal } from './open-matrix.ts';

const mayI: Prompt = {
  to: { chatId: room, threadId: null },
  id: 'p',
  kind: 'approval',
  text: 'May I?',
  options: ['once', 'deny'].map((id) => ({ id, label: id })),
  idempotencyKey: 'q',
};
const busy = { status: 429, errcode: 'M_LIMIT_EXCEEDED', error: 'Too Many Requests', retry_after_ms: 5 };
const broken = { status: 500, errcode: 'M_UNKNOWN', error: 'Internal server error' };

test('an invitation that cannot be taken at once is taken later, after a restart too', async (t) => {
  const { server, host, adapter } = await openMatrix(t);
  server.invite('!later:example.org', fred, true);
  server.refuse('join/', broken, 2);
  await adapter.connect(signal());
  await until(async () => (await host.notes.get('invitations'))?.includes('!later:example.org') === true);
  await adapter.disconnect();
  server.invitations.clear();
  const again = platform.create(host);
  t.after(async () => await again.disconnect());
  await again.connect(signal());
  // Each answer is an occasion; the clock is far ahead by then.
  await until(async () => {
    await host.clock.sleep(60_000, signal());
    say(server, { body: 'hello' });
    return server.joined.includes('!later:example.org');
  });
  await until(async () => (await host.notes.get('invitations')) === '[]');
});

test('a room that goes on in another one is followed there, when somebody says so who may', async (t) => {
  const { server, host } = await openMatrix(t);
  const isAuthorized: FakeHost['isAuthorized'] = ({ user_id: id }) => Promise.resolve(id === fred);
  const adapter = platform.create({ ...host, isAuthorized });
  t.after(async () => await adapter.disconnect());
  await adapter.connect(signal());
  const tombstone = (sender: string, to: unknown) =>
    server.happen(room, {
      type: 'm.room.tombstone',
      state_key: '',
      sender,
      origin_server_ts: Date.now(),
      content: { body: 'moved', replacement_room: to },
    });
  tombstone('@mallory:example.org', '!trap:example.org');
  tombstone(fred, 'no room');
  tombstone(fred, '!new:example.org');
  await until(() => server.joined.length > 0);
  assert.deepEqual(server.joined, ['!new:example.org']);
});

test('a room of which nothing can be learned does not hold up the others', async (t) => {
  const { server, host, adapter } = await openMatrix(t, { MATRIX_REQUIRE_MENTION: 'false' });
  server.addRoom('!gone:example.org', 'Gone', { [fred]: 'Fred' });
  await adapter.connect(signal());
  server.refuse('joined_members', { status: 403, errcode: 'M_FORBIDDEN', error: 'not in the room' });
  say(server, { body: 'who am I?' }, Date.now(), '!gone:example.org');
  say(server, { body: 'here' });
  await until(() => host.accepted.length === 2);
  assert.deepEqual(
    host.accepted.map(({ text, source }) => [text, source.user_name]),
    [
      ['who am I?', fred],
      ['here', 'Fred'],
    ],
  );
});

test('a gap that the homeserver cannot fill ends, and what came after it is read', async (t) => {
  const { server, host, adapter } = await openMatrix(t);
  await adapter.connect(signal());
  say(server, { body: 'before' });
  await until(() => host.accepted.length === 1);
  await adapter.disconnect();
  for (let count = 0; count < 60; count += 1) say(server, { body: String(count) });
  server.refuse('/messages', broken, 100);
  const again = platform.create(host);
  t.after(async () => await again.disconnect());
  await again.connect(signal());
  await until(() => host.accepted.some(({ text }) => text === '59'));
  assert.ok(host.logged.some((line) => line.includes('during the interruption cannot be read')));
});

test('a login that the homeserver ends is made anew, for the same device when its keys are still good', async (t) => {
  const login = { MATRIX_ACCESS_TOKEN: '', MATRIX_USER_ID: robot.id, MATRIX_PASSWORD: robot.password };
  const { server, host, adapter } = await openMatrix(t, login);
  await adapter.connect(signal());
  server.refuse('client/v3/sync', { status: 401, errcode: 'M_UNKNOWN_TOKEN', error: 'expired', soft_logout: true });
  say(server, { body: 'wakes it' });
  await until(() => host.failures.length === 1);
  assert.equal(host.failures[0]?.code, 'matrix_logged_out');
  assert.equal(host.failures[0].retryable, true);
  await adapter.disconnect();
  const logins = server.logins.length;
  for (const soft_logout of [true, false]) {
    server.refuse('account/whoami', { status: 401, errcode: 'M_UNKNOWN_TOKEN', error: 'expired', soft_logout });
    const again = platform.create(host);
    await again.connect(signal());
    await again.disconnect();
  }
  assert.deepEqual(server.logins.slice(logins), [robot.device, undefined]);
});

test('a proxy that wants a login of its own does not make the token wrong', async (t) => {
  const { server, host, adapter } = await openMatrix(t);
  server.refuse('account/whoami', { status: 401, error: 'who are you?' });
  await assert.rejects(adapter.connect(signal()), { code: 'matrix_connect_error', retryable: true });
  await adapter.connect(signal());
  server.refuse('client/v3/sync', { status: 401, error: 'who are you?' });
  say(server, { body: 'still here' });
  await until(() => host.accepted.length === 1);
  assert.deepEqual(host.failures, []);
});

test('a store of keys that is damaged needs the operator, and says so', async (t) => {
  const { server, host, adapter } = await openMatrix(t, { MATRIX_E2EE_MODE: 'optional' });
  await adapter.connect(signal());
  await adapter.disconnect();
  const folder = await host.folder();
  const [file = ''] = (await readdir(folder)).filter((name) => name.endsWith('.sqlite'));
  writeFileSync(join(folder, file), 'this is no database, and it is long enough to be looked at as one'.repeat(100));
  const again = platform.create(host);
  t.after(async () => await again.disconnect());
  await assert.rejects(again.connect(signal()), { code: 'matrix_damaged_keys', retryable: false });
  assert.ok(server.url);
});

test('an encrypted message that was taken back is not asked for', async (t) => {
  const { server, host, adapter } = await openMatrix(t, { MATRIX_E2EE_MODE: 'optional' });
  await adapter.connect(signal());
  const encrypted = { type: 'm.room.encrypted', sender: fred, origin_server_ts: Date.now() };
  server.happen(room, { ...encrypted, content: {} });
  for (const number of [1, 2, 3]) {
    const content = { algorithm: 'm.megolm.v1.aes-sha2', ciphertext: 'AwgAEnACgAkLmt6q', session_id: `s${number}` };
    server.happen(room, { ...encrypted, content });
  }
  say(server, { body: 'end' });
  await until(() => host.accepted.length === 1);
  const waiting = JSON.parse((await host.notes.get('undecrypted')) ?? '[]') as { event: { content: object } }[];
  assert.equal(waiting.length, 3);
  // Their time is over: the room is told once, however many there are.
  await host.clock.sleep(120_000, signal());
  say(server, { body: 'and now?' });
  await until(() => host.accepted.length === 2);
  await host.clock.sleep(120_000, signal());
  say(server, { body: 'and then?' });
  await until(() => host.accepted.length === 3);
  const own = server.rooms.get(room)?.timeline.filter(({ event }) => event.sender === robot.id) ?? [];
  assert.equal(own.length, 1);
  assert.match(String(own[0]?.event.content['body']), /cannot read a message/);
});

test('where encryption is required, nothing is read that is not encrypted', async (t) => {
  const { server, host, adapter } = await openMatrix(t, { MATRIX_E2EE_MODE: 'required' });
  await adapter.connect(signal());
  const before = server.acknowledged;
  say(server, { body: 'rm -rf /' });
  await until(() => server.acknowledged > before);
  assert.deepEqual(host.accepted, []);
  assert.ok(host.logged.some((line) => line.includes('are not read')));
  assert.equal(adapter.prompts, undefined, 'a homeserver could forge the reaction that says yes');
});

test('a server that is busy gets its time, and the question all of its reactions', async (t) => {
  const { server, adapter } = await openMatrix(t);
  await adapter.connect(signal());
  server.refuse('send/m.reaction', busy);
  const sent = await adapter.prompts?.show(mayI, signal());
  assert.equal(sent?.ok, true);
  const reactions = () => server.rooms.get(room)?.timeline.filter(({ event }) => event.type === 'm.reaction').length;
  await until(() => reactions() === 2);
});

test('a reaction that comes after its time allows nothing, and the room is told once how to answer instead', async (t) => {
  const { server, host, adapter } = await openMatrix(t, { MATRIX_APPROVAL_TIMEOUT_SECONDS: '30' });
  await adapter.connect(signal());
  const ask = async (prompt: Prompt): Promise<string> => {
    const sent = await adapter.prompts?.show(prompt, signal());
    return sent?.ok === true ? (sent.messageId ?? '') : '';
  };
  const react = (question: string, key: string) => {
    const content = { 'm.relates_to': { rel_type: 'm.annotation', event_id: question, key } };
    server.happen(room, { type: 'm.reaction', sender: fred, origin_server_ts: Date.now(), content });
  };
  const said = () =>
    (server.rooms.get(room)?.timeline ?? []).filter(({ event }) => String(event.content['body']).startsWith('⌛'));
  const [early, late] = [await ask(mayI), await ask({ ...mayI, id: 'late', idempotencyKey: 'late' })];
  const choice = await ask({ ...mayI, id: 'choice', kind: 'question', idempotencyKey: 'choice' });
  react(early, '✅');
  await until(() => host.presses.length === 1);
  await host.clock.sleep(31_000, signal());
  react(late, '✅');
  react(late, '❌');
  react(choice, '✅');
  await until(() => host.presses.length === 2 && said().length === 1);
  assert.deepEqual(
    host.presses.map(({ promptId, optionId }) => [promptId, optionId]),
    [
      ['p', 'once'],
      ['choice', 'once'],
    ],
  );
});

test('who may answer with a reaction can be set, and is whoever was asked unless it is', async (t) => {
  assert.equal((await openMatrix(t)).adapter.prompts?.anybody, false);
  assert.equal((await openMatrix(t, { MATRIX_APPROVAL_REQUIRE_SENDER: 'false' })).adapter.prompts?.anybody, true);
});

test('ids and names of any length that other servers send take no message away', async (t) => {
  const { server, host, adapter } = await openMatrix(t);
  server.addRoom('!long:example.org', 'n'.repeat(60_000), { [fred]: 'F'.repeat(60_000), '@sue:example.org': 'Sue' });
  await adapter.connect(signal());
  const long = '$'.padEnd(50_000, 'x');
  say(server, { body: 'a', 'm.relates_to': { 'm.in_reply_to': { event_id: long } } });
  say(server, { body: 'b', 'm.relates_to': { rel_type: 'm.thread', event_id: long } });
  say(server, { body: 'c' }, Date.now(), '!long:example.org');
  await until(() => host.accepted.some(({ text }) => text === 'c'));
  for (const event of host.accepted) assert.ok(messageEvent.safeParse(JSON.parse(JSON.stringify(event))).success);
});

test('another account whose name only begins like that of the bot is not the bot', async (t) => {
  const { server, host, adapter } = await openMatrix(t);
  await adapter.connect(signal());
  const html = `<a href="https://matrix.to/#/${robot.id}.evil">Robot</a>`;
  say(server, { body: `${robot.id}.evil look`, formatted_body: html, 'm.mentions': {} });
  say(server, { body: `${robot.id}: look`, 'm.mentions': {} });
  await until(() => host.accepted.length === 1);
  assert.equal(host.accepted[0]?.text, 'look');
});

test('the longest message can be set', () => {
  const variables = { MATRIX_HOMESERVER: 'https://example.org', MATRIX_ACCESS_TOKEN: 'syt_cm9ib3Q_token' };
  assert.equal(platform.read(variables, {}).maxMessageLength, undefined);
  assert.equal(platform.read({ ...variables, MATRIX_MAX_MESSAGE_LENGTH: '4000' }, {}).maxMessageLength, 4000);
  const wrong = platform.read(variables, { max_message_length: 70_000 });
  assert.equal(wrong.maxMessageLength, undefined);
  assert.match(wrong.problems.join(), /above 65535/);
});
