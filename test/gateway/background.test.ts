/** `/background`: a task beside the conversation. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { RunCommands } from '../../src/gateway/commands/run-commands.ts';
import { startModelServer } from '../fakes/model-server.ts';
import { openGateway } from './support.ts';

const config =
  'auxiliary:\n  title_generation:\n    enabled: false\ndisplay:\n  platforms:\n    fake:\n      streaming: false\n      tool_progress: off\n';
const commands = new RunCommands({
  version: '0.0.0',
  startedAt: 0,
  saveVariables: () => Promise.resolve(),
  restart: () => false,
});

test('a background task answers into the chat, and the conversation knows nothing of it', async (t) => {
  await using server = await startModelServer({
    respond: ({ rawBody }) => (rawBody.includes('count the stars') ? { text: 'many' } : { text: 'yes' }),
  });
  const { fake, gateway } = await openGateway(t, server, { config, commands });
  await fake.say('/bg count the stars');
  await fake.until(() => fake.texts().length === 2);
  const told = fake.texts().find((text) => text.startsWith('🔄'));
  const result = fake.texts().find((text) => text !== told);
  const id = /bg_\d{6}_[0-9a-f]{6}/.exec(told ?? '')?.[0] ?? 'none';
  assert.equal(result, `✅ Background task ${id}\nPrompt: "count the stars"\n\nmany`);
  await fake.say('hello');
  await fake.until(() => fake.texts().includes('yes'));
  assert.doesNotMatch(server.requests.at(-1)?.rawBody ?? '', /stars/);
  assert.deepEqual(gateway.background.of('none').list(), []);
  assert.ok((await gateway.program.store?.sessions.get(id)) !== undefined);
});

test('a background task that fails says so', async (t) => {
  await using server = await startModelServer({ respond: () => ({ fault: 'status', status: 401 }) });
  const { fake } = await openGateway(t, server, { config, commands });
  await fake.say('/background count the stars');
  await fake.until(() => fake.texts().some((text) => text.startsWith('❌ Background task bg_')));
});

test('one that a stop cuts off is told of by the next start', async (t) => {
  await using server = await startModelServer({ respond: () => ({ fault: 'hang' }) });
  const first = await openGateway(t, server, { config, commands });
  await first.fake.say('/background count the stars');
  await first.fake.until(() => first.fake.texts().length === 1);
  await first.fake.say('/agents');
  await first.fake.until(() => first.fake.texts().length === 2);
  assert.match(first.fake.texts()[1] ?? '', /bg_\d{6}_[0-9a-f]{6} \(\d+ s\): count the stars/);
  await first.close();
  const { fake } = await openGateway(t, server, { place: first.place, commands });
  await fake.until(() => fake.texts().length > 0);
  assert.match(fake.texts()[0] ?? '', /^❌ Background task bg_.* was cut off.*\nPrompt: "count the stars"$/);
});
