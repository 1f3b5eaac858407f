/** Devices that are compared with that of the bot, with a real second client. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { DeviceId, type Sas, UserId, type VerificationRequest } from '@matrix-org/matrix-sdk-crypto-wasm';
import type { PlatformAdapter } from '../../../../src/gateway/platform/adapter.ts';
import { platform } from '../../../../src/gateway/platforms/matrix/matrix.ts';
import { type MatrixServer, robot } from '../../../fakes/matrix-server.ts';
import { type FakeHost, until } from '../../fake-host.ts';
import { fred, openMatrix, say, signal } from './open-matrix.ts';
import { OtherClient } from './other-client.ts';

const chat = '!chat:example.org';

interface Opened {
  readonly server: MatrixServer;
  readonly host: FakeHost;
  readonly client: OtherClient;
}

interface Given {
  readonly variables?: Record<string, string>;
  readonly isAuthorized?: FakeHost['isAuthorized'];
  readonly home?: string;
  readonly encrypted?: boolean;
  /** Of the client. */
  readonly user?: string;
}

/** A bot and a person in a chat of their own. */
async function open(t: TestContext, given: Given = {}): Promise<Opened> {
  const { variables = {}, isAuthorized = async () => true, home, encrypted = true, user = fred } = given;
  const { server, host } = await openMatrix(t, { MATRIX_E2EE_MODE: 'optional', ...variables });
  server.addRoom(chat, undefined, { [fred]: 'Fred' });
  const room = server.rooms.get(chat);
  if (room !== undefined) room.encrypted = encrypted;
  const homeChannel = home === undefined ? undefined : { chatId: home, name: undefined, threadId: null };
  const adapter: PlatformAdapter = platform.create({
    ...host,
    isAuthorized,
    config: { ...host.config, homeChannel },
  });
  t.after(async () => await adapter.disconnect());
  await adapter.connect(signal());
  const client = await OtherClient.open(server, user, user === fred ? 'FREDDEV' : 'ELEMENT');
  await client.meet(robot.id);
  return { server, host, client };
}

/** Up to where both see the signs. */
async function compare(client: OtherClient, request: VerificationRequest): Promise<Sas> {
  await going(client, () => request.isReady(), 'the answer of the bot');
  const sas = await client.start(request);
  await going(client, () => sas.canBePresented(), 'the signs');
  return sas;
}

async function going(client: OtherClient, condition: () => boolean, what: string): Promise<void> {
  await until(async () => {
    await client.go();
    return condition();
  }, what);
}

const hears = async (client: OtherClient, words: RegExp): Promise<void> =>
  await going(client, () => client.heard.some((body) => words.test(body)), String(words));

const signsOf = (sas: Sas): string =>
  (sas.emoji() ?? []).map(({ symbol, description }) => `${symbol} ${description}`).join(', ');

async function isVerified({ machine }: OtherClient): Promise<boolean> {
  return (await machine.getDevice(new UserId(robot.id), new DeviceId(robot.device)))?.isVerified() === true;
}

test('who asks the device is shown what the bot sees, says that it is the same, and holds it for verified', async (t) => {
  const { host, client } = await open(t);
  const sas = await compare(client, await client.askDevice(robot.id, robot.device));
  await hears(client, /To verify the device FREDDEV/);
  assert.ok(client.heard.some((body) => body.includes(signsOf(sas))));
  assert.ok(
    host.logged.some((line) => line.includes(signsOf(sas))),
    'the operator reads it in the log',
  );
  await client.confirm(sas);
  await client.go();
  assert.ok(!sas.isDone(), 'without a word of a person the bot agrees to nothing');
  await client.say(chat, '!verify yes');
  await going(client, () => sas.isDone(), 'the end');
  await hears(client, /^Verified: the device FREDDEV of @fred:example.org\.$/);
  assert.equal(await isVerified(client), true);
  assert.deepEqual(host.accepted, [], 'nothing of it is said to the agent');
  await client.say(chat, '!verify yes');
  await hears(client, /^There is no verification to answer/);
});

test('who asks in the chat is answered there, encrypted, and has the account of the bot verified', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'recovery-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  // Requests of real programs are not encrypted.
  const variables = { MATRIX_RECOVERY_KEY_OUTPUT_FILE: join(folder, 'key'), MATRIX_E2EE_MODE: 'required' };
  const { server, client } = await open(t, { variables });
  await client.crossSign();
  await client.meet(robot.id);
  const sas = await compare(client, await client.askIn(chat, robot.id));
  await hears(client, /To verify the device FREDDEV/);
  await client.say(chat, '/verify yes');
  await hears(client, /^Noted/);
  await client.confirm(sas);
  await going(client, () => sas.isDone(), 'the end');
  await hears(client, /^Verified/);
  await client.meet(robot.id);
  assert.equal(await isVerified(client), true);
  const identity = await client.machine.getIdentity(new UserId(robot.id));
  assert.equal(identity?.isVerified(), true);
  const own = server.rooms.get(chat)?.timeline.filter(({ event }) => event.sender === robot.id) ?? [];
  assert.deepEqual([...new Set(own.map(({ event }) => event.type))], ['m.room.encrypted']);
});

test('what is not the same is told as an alarm, on both sides', async (t) => {
  const { host, client } = await open(t);
  const sas = await compare(client, await client.askDevice(robot.id, robot.device));
  await hears(client, /To verify/);
  await client.say(chat, '!verify no');
  await going(client, () => sas.isCancelled(), 'the end');
  assert.equal(sas.cancelInfo()?.cancelCode(), 'm.mismatched_sas');
  await hears(client, /^Not verified: the two sides did not see the same/);
  assert.ok(host.logged.some((line) => line.includes('not verified (m.mismatched_sas)')));
  assert.equal(await isVerified(client), false);
});

test('what is cancelled, or takes too long, is told in one line, and can be started again', async (t) => {
  const { server, host, client } = await open(t);
  const first = await compare(client, await client.askDevice(robot.id, robot.device));
  await hears(client, /To verify/);
  await client.cancel(first);
  await hears(client, /^Not verified: it was cancelled at your side\.$/);

  const second = await client.askDevice(robot.id, robot.device);
  await going(client, () => second.isReady(), 'the answer of the bot');
  await host.clock.sleep(11 * 60_000, signal());
  say(server, { body: 'something happens' });
  await hears(client, /^Not verified: it took too long; start it again when you are ready\.$/);
  await going(client, () => second.isCancelled(), 'the end');

  const third = await compare(client, await client.askDevice(robot.id, robot.device));
  await client.say(chat, '!verify yes');
  await client.confirm(third);
  await going(client, () => third.isDone(), 'the end of the third');
});

test('where nothing can be sent any more, a verification ends all the same', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'recovery-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const { server, host, client } = await open(t, {
    variables: { MATRIX_RECOVERY_KEY_OUTPUT_FILE: join(folder, 'key') },
  });
  await client.crossSign();
  await client.meet(robot.id);
  const request = await client.askIn(chat, robot.id);
  await going(client, () => request.isReady(), 'the answer of the bot');
  server.refuse(`${chat}/send/`, { status: 403, errcode: 'M_FORBIDDEN', error: 'User is not in the room' }, 100);
  await client.start(request);
  await until(() =>
    host.logged.some((line) => line.includes('of a verification') || line.includes('of the verification')),
  );
  await host.clock.sleep(11 * 60_000, signal());
  say(server, { body: 'something happens' });
  await until(() => host.logged.some((line) => line.includes('not verified (m.')), 'the end');
});

test('strangers are not answered, on the device or in the chat', async (t) => {
  const { server, host, client } = await open(t, { isAuthorized: async () => await Promise.resolve(false) });
  const request = await client.askDevice(robot.id, robot.device);
  const content = { msgtype: 'm.key.verification.request', body: '', to: robot.id, from_device: 'FREDDEV' };
  server.happen(chat, { type: 'm.room.message', sender: fred, origin_server_ts: Date.now(), content });
  const left = (): number => host.logged.filter((line) => line.includes('is left alone')).length;
  await going(client, () => left() === 2, 'both requests');
  assert.equal(request.isReady() || request.isCancelled(), false);
  assert.deepEqual(client.heard, []);
  assert.deepEqual(host.accepted, []);
});

test('only the person who asked can answer, and only encrypted', async (t) => {
  const { server, host, client } = await open(t);
  const sas = await compare(client, await client.askDevice(robot.id, robot.device));
  await hears(client, /To verify/);
  await client.confirm(sas);
  // What a homeserver can write in the name of anybody.
  const content = { msgtype: 'm.text', body: '!verify yes' };
  for (const sender of [fred, '@sue:example.org'])
    server.happen(chat, { type: 'm.room.message', sender, origin_server_ts: Date.now(), content });
  await hears(client, /^There is no verification to answer/);
  assert.ok(host.logged.some((line) => line.includes('came unencrypted, so it does not count')));
  const sue = await OtherClient.open(server, '@sue:example.org', 'SUEDEV');
  await sue.say(chat, '!verify yes', fred);
  await sue.say(chat, 'my password is mellon', fred);
  const forged = (): number => host.logged.filter((line) => line.includes('has not encrypted it')).length;
  await going(client, () => forged() === 2, 'both messages in the name of somebody else');
  assert.deepEqual(host.accepted, []);
  assert.equal(sas.isDone(), false);
});

test('in one chat one is compared at a time, so that a yes is not taken for another one', async (t) => {
  const { server, host, client } = await open(t, { home: chat });
  const element = await OtherClient.open(server, robot.id, 'ELEMENT');
  await element.meet(robot.id);
  const sas = await compare(client, await client.askDevice(robot.id, robot.device));
  await hears(client, /To verify the device FREDDEV/);
  const other = await element.askDevice(robot.id, robot.device);
  await going(element, () => other.isCancelled(), 'the refusal');
  assert.ok(host.logged.some((line) => line.includes('another one is under way in the same chat')));
  await client.confirm(sas);
  await client.say(chat, '!verify yes');
  await going(client, () => sas.isDone(), 'the end');
});

test('without an encrypted chat there is nowhere to compare, and that is said', async (t) => {
  const { server, host, client } = await open(t, { encrypted: false });
  const request = await client.askDevice(robot.id, robot.device);
  await going(client, () => request.isCancelled(), 'the refusal');
  assert.ok(host.logged.some((line) => line.includes('there is no encrypted private chat to compare in')));
  const content = { msgtype: 'm.key.verification.request', body: '', to: robot.id, from_device: 'FREDDEV' };
  server.happen(chat, { type: 'm.room.message', sender: fred, origin_server_ts: Date.now(), content });
  await hears(client, /^A verification can only be started in an encrypted private chat with me\.$/);
});

test('another session of the bot signs its device, when somebody in the home room says that it is the same', async (t) => {
  const { server, client: element } = await open(t, { user: robot.id, home: chat });
  await element.crossSign();
  const person = await OtherClient.open(server, fred, 'FREDDEV');
  await person.meet(robot.id);
  await element.meet(robot.id);
  const sas = await compare(element, await element.askDevice(robot.id, robot.device));
  await hears(person, /To verify my own session ELEMENT/);
  assert.ok(person.heard.some((body) => body.includes(signsOf(sas))));
  await element.confirm(sas);
  await person.say(chat, '!verify yes');
  await going(element, () => sas.isDone(), 'the end');
  await hears(person, /^Verified: my own session ELEMENT\.$/);
  await until(async () => {
    await element.go();
    await person.meet(robot.id);
    const device = await person.machine.getDevice(new UserId(robot.id), new DeviceId(robot.device));
    return device?.isCrossSignedByOwner() === true;
  }, 'the signature');
});

test('without a home room another session of the bot is turned away, and the log says what is missing', async (t) => {
  const { host, client: element } = await open(t, { user: robot.id });
  const request = await element.askDevice(robot.id, robot.device);
  await going(element, () => request.isCancelled(), 'the refusal');
  assert.ok(host.logged.some((line) => line.includes('no home room (MATRIX_HOME_ROOM) that is encrypted')));
});
