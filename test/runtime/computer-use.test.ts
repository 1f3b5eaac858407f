/** The desktop in a whole program: there where a driver is, and shown as it is now. */
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { fakeDriver } from '../fakes/cua-driver.ts';
import { startModelServer } from '../fakes/model-server.ts';
import { chatAt, placeFor, textOf } from './support.ts';

const sees = 'agent:\n  image_input_mode: native\nauxiliary:\n  title_generation:\n    enabled: false\n';

test('with a driver the tool is offered, without one it is not, and noop needs none', async (t) => {
  const driver = fakeDriver(t);
  await using server = await startModelServer({ respond: () => ({ text: 'Hello.' }) });
  const offered = async (env: Readonly<Record<string, string>>) => {
    await (await chatAt(placeFor(t, server, sees, { env: { PATH: driver.folder, ...env } }))).say('hello');
    const { tools = [], messages } = server.lastRequest.body;
    const isOffered = tools.some((tool) => tool.function.name === 'computer_use');
    assert.equal(textOf(messages[0]).includes('# The desktop'), isOffered, 'the prompt says so as well');
    return isOffered;
  };
  assert.equal(await offered({}), true, 'found in PATH');
  assert.equal(await offered(driver.env), true);
  assert.ok(!existsSync(join(driver.folder, 'environment.json')), 'and not started for that');
  assert.equal(await offered({ HERMES_CUA_DRIVER_CMD: '/nowhere/cua-driver' }), false);
  assert.equal(await offered({ HERMES_CUA_DRIVER_CMD: '/nowhere', HERMES_COMPUTER_USE_BACKEND: 'noop' }), true);
  assert.equal(await offered({ HERMES_COMPUTER_USE_BACKEND: 'other' }), false);
});

test('the three newest pictures of the desktop are sent with a request, and the driver ends with the session', async (t) => {
  const driver = fakeDriver(t);
  await using server = await startModelServer();
  for (let count = 0; count < 5; count++) {
    server.enqueue({ toolCalls: [{ name: 'computer_use', arguments: { action: 'capture', app: 'Zenity' } }] });
  }
  server.enqueue({ text: 'A form.' });
  const { say, session } = await chatAt(placeFor(t, server, sees, { env: driver.env }));
  await say('what do you see?');
  const { messages } = server.lastRequest.body;
  const results = messages.filter(({ role }) => role === 'tool').map(textOf);
  const isOld = results.map((text) => text.includes('An older picture was here'));
  assert.deepEqual(isOld, [true, true, false, false, false]);
  assert.ok(
    results.every((text) => text.includes('push button')),
    'elements stay',
  );
  const pictures = messages.filter(
    ({ content }) => Array.isArray(content) && content.some(({ type }) => type === 'image_url'),
  );
  assert.equal(pictures.length, 3);
  await session.close('cli_close');
  const { pid } = JSON.parse(readFileSync(join(driver.folder, 'environment.json'), 'utf8')) as { pid: number };
  assert.throws(() => process.kill(pid, 0), 'nothing of it is left');
});
