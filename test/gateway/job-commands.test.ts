/** `/suggestions` and `/blueprint` in chats: what they make answers in the chat in which it was asked for. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
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

test('a suggestion that is accepted in a chat delivers into that chat', async (t) => {
  await using server = await startModelServer();
  const { fake, place } = await openGateway(t, server, { config, commands });
  await fake.say('/suggestions catalog');
  await fake.until(() => fake.texts().length === 1);
  await fake.say('/suggestions accept 1');
  await fake.until(() => fake.texts().length === 2);
  assert.match(fake.texts()[1] ?? '', /Scheduled 'Morning brief' \(0 8 \* \* \*\)/);
  const [{ deliver, origin }] = JSON.parse(readFileSync(join(place.homePath, 'cron', 'jobs.json'), 'utf8')).jobs;
  assert.equal(deliver, 'origin');
  assert.deepEqual([origin.platform, origin.chat_id], ['fake', 'c1']);
  await fake.say('/suggestions accept 9');
  await fake.until(() => fake.texts().length === 3);
  assert.match(fake.texts()[2] ?? '', /No suggestion '9' waits/);
  assert.equal(server.requests.length, 0);
});

test('a blueprint that is named in a chat is filled in by questions of the agent', async (t) => {
  await using server = await startModelServer({ respond: () => ({ text: 'At what time?' }) });
  const { fake } = await openGateway(t, server, { config, commands });
  await fake.say('/blueprint weekly');
  await fake.until(() => fake.texts().length === 1);
  assert.equal(fake.texts()[0], 'At what time?');
  assert.match(JSON.stringify(server.requests[0]?.body.messages.at(-1)), /blueprint weekly-review/);
});
