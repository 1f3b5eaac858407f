/** Devices that are compared on the real Synapse, with the real client of Element's makers on the other side. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { until } from '../gateway/fake-host.ts';
import { type Person, startPerson } from './matrix-person.ts';
import { deviceOf, open, passwords, robot, roomOf, said, signal } from './matrix-robot.ts';

async function hears(person: Person, words: RegExp): Promise<void> {
  const bodies = async () => (await person.heard()).map(({ content }) => String(content['body']));
  await until(async () => (await bodies()).some((body) => words.test(body)), String(words));
}

/** Up to where the person sees the signs. */
async function compare(person: Person): Promise<string> {
  await until(async () => (await person.phase()) === 'Ready', 'the answer of the robot');
  await person.compare();
  await until(async () => (await person.signs()) !== undefined, 'the signs');
  return (await person.signs()) ?? '';
}

async function isDone(person: Person): Promise<void> {
  await until(async () => (await person.phase()) === 'Done', 'the end');
}

function newKeyFile(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'recovery-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  return join(folder, 'key');
}

test('who verifies the robot in their chat sees the same as it, says so, and holds its account for verified', async (t) => {
  const opened = await open(t);
  if (typeof opened === 'string') return t.skip(opened);
  const { server, robotId, alice } = opened;
  const variables = { MATRIX_RECOVERY_KEY_OUTPUT_FILE: newKeyFile(t), MATRIX_E2EE_MODE: 'required' };
  const { host, adapter } = robot(t, server, robotId, { variables });
  await adapter.connect(signal());
  const device = deviceOf(host);
  const room = await roomOf(alice, robotId);
  await alice.crossSign(alice.userId, passwords.alice);
  await until(async () => await alice.isSigned(robotId, device), 'the signature of the device');
  assert.equal(await alice.isVerified(robotId, device), 'no');
  await alice.verifyIn(room, robotId);
  const signs = await compare(alice);
  await hears(alice, new RegExp(`I see:\\s+${signs}\\s`));
  assert.ok(host.logged.some((line) => line.includes(signs)));
  await alice.confirm();
  await alice.send(room, said('!verify yes'));
  await isDone(alice);
  await hears(alice, /^Verified: the device \w+ of @alice:example\.org\.$/);
  await until(async () => (await alice.isVerified(robotId, device)) === 'account', 'the verified account');
  assert.deepEqual(host.accepted, []);
  assert.equal(await alice.unreadable(), 0);
});

test('a device is verified without keys of the account too; what differs and what is cancelled is told', async (t) => {
  const opened = await open(t);
  if (typeof opened === 'string') return t.skip(opened);
  const { server, robotId, alice } = opened;
  const { host, adapter } = robot(t, server, robotId);
  await adapter.connect(signal());
  const device = deviceOf(host);
  const room = await roomOf(alice, robotId);
  await alice.send(room, said('hello'));
  await until(() => host.accepted.length === 1, 'the first message');

  await alice.verifyDevice(robotId, device);
  await compare(alice);
  await hears(alice, /To verify the device/);
  await alice.send(room, said('!verify no'));
  await hears(alice, /^Not verified: the two sides did not see the same/);
  await until(async () => (await alice.phase()) === 'Cancelled', 'the end at the other side');
  assert.equal(await alice.cancelCode(), 'm.mismatched_sas');

  await alice.verifyDevice(robotId, device);
  await compare(alice);
  await alice.cancel();
  await hears(alice, /^Not verified: it was cancelled at your side\.$/);
  assert.equal(await alice.isVerified(robotId, device), 'no');

  await alice.verifyDevice(robotId, device);
  const signs = await compare(alice);
  await hears(alice, new RegExp(`I see:\\s+${signs}\\s`));
  await alice.send(room, said('!verify yes'));
  await hears(alice, /^Noted/);
  await alice.confirm();
  await isDone(alice);
  await until(async () => (await alice.isVerified(robotId, device)) === 'here', 'the verified device');
  assert.equal(host.accepted.length, 1, 'nothing of it is said to the agent');
});

test('strangers are not answered, neither on the device nor in a chat', async (t) => {
  const opened = await open(t);
  if (typeof opened === 'string') return t.skip(opened);
  const { server, robotId, alice } = opened;
  let isKnown = true;
  const isAuthorized = async () => await Promise.resolve(isKnown);
  const variables = { MATRIX_RECOVERY_KEY_OUTPUT_FILE: newKeyFile(t) };
  const { host, adapter } = robot(t, server, robotId, { isAuthorized, variables });
  await adapter.connect(signal());
  const room = await roomOf(alice, robotId);
  isKnown = false;
  const left = (): number => host.logged.filter((line) => line.includes('is left alone')).length;
  await alice.verifyDevice(robotId, deviceOf(host));
  await until(() => left() === 1, 'the request to the device');
  assert.equal(await alice.phase(), 'Requested');
  await alice.cancel();
  await alice.verifyIn(room, robotId);
  await until(() => left() === 2, 'the request in the room');
  assert.equal(await alice.phase(), 'Requested');
  assert.deepEqual(await alice.heard(), []);
});

test('another session of the robot signs its device, after somebody in the home room has compared', async (t) => {
  const opened = await open(t);
  if (typeof opened === 'string') return t.skip(opened);
  const { server, robotId, alice } = opened;
  const first = robot(t, server, robotId);
  await first.adapter.connect(signal());
  const room = await roomOf(alice, robotId);
  await first.adapter.disconnect();
  const { host, adapter } = robot(t, server, robotId, { before: first.host, home: room });
  await adapter.connect(signal());
  const device = deviceOf(host);
  const element = await startPerson(t, server.url, robotId, passwords.robot);
  await element.crossSign(robotId, passwords.robot);
  assert.equal(await alice.isSigned(robotId, device), false);
  await element.verifyDevice(robotId, device);
  const signs = await compare(element);
  await hears(alice, new RegExp(`To verify my own session \\w+, compare\\. I see:\\s+${signs}\\s`));
  await element.confirm();
  await alice.send(room, said('!verify yes'));
  await isDone(element);
  await hears(alice, /^Verified: my own session/);
  await until(async () => await alice.isSigned(robotId, device), 'the signature of the device');
});
