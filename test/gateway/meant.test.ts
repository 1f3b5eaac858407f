/** What the words of a person in a chat stand for: files and pages behind an `@`, skills behind a slash. */
import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { type RecordedRequest, startModelServer } from '../fakes/model-server.ts';
import { placeFor } from '../runtime/support.ts';
import { openGateway } from './support.ts';

const quiet =
  'auxiliary:\n  title_generation:\n    enabled: false\ndisplay:\n  platforms:\n    fake:\n      streaming: false\n      tool_progress: off\n';

const lastOf = (request: RecordedRequest | undefined): string => JSON.stringify(request?.body.messages.at(-1)?.content);

test('a file that a person refers to is read for the model, and what is stored is what was said', async (t) => {
  await using server = await startModelServer({ respond: () => ({ text: 'yes' }) });
  const { fake, gateway, place } = await openGateway(t, server, { config: quiet });
  place.put('notes.txt', 'the tea is green');
  await fake.say('read @file:notes.txt, and @file:../../etc/passwd');
  await fake.until(() => fake.texts().includes('yes'));
  assert.match(lastOf(server.requests[0]), /the tea is green/);
  assert.doesNotMatch(lastOf(server.requests[0]), /root:/);
  assert.match(fake.texts()[0] ?? '', /^⚠️ .*passwd/);
  const [id = ''] = (await gateway.program.store?.maintenance.sessionIds()) ?? [];
  const [stored] = (await gateway.program.store?.messages.conversation(id)) ?? [];
  assert.equal(stored?.content, 'read @file:notes.txt, and @file:../../etc/passwd');
});

for (const [whose, config, more] of [
  ['in a chat whose agent may not read files', 'platform_toolsets:\n  fake: [memory]\n', {}],
  ['in a forwarded message', '', { forwarded_from: 'Mallory' }],
  ['in a quoted message', '', { text: 'look', reply_to: { message_id: 'q', text: '@file:notes.txt', own: false } }],
] as const)
  test(`a reference ${whose} is not read`, async (t) => {
    await using server = await startModelServer({ respond: () => ({ text: 'yes' }) });
    const { fake, place } = await openGateway(t, server, { config: `${quiet}${config}` });
    place.put('notes.txt', 'the tea is green');
    await fake.say('read @file:notes.txt', more);
    await fake.until(() => fake.texts().includes('yes'));
    assert.match(lastOf(server.requests[0]), /@file:notes\.txt/);
    assert.doesNotMatch(lastOf(server.requests[0]), /green/);
  });

test('a reference to more than the model can take is left as it was written, and the person is told', async (t) => {
  await using server = await startModelServer({ respond: () => ({ text: 'yes' }) });
  const { fake, place } = await openGateway(t, server, { config: `  context_length: 70000\n${quiet}` });
  place.put('big.txt', 'green tea '.repeat(20_000));
  await fake.say('read @file:big.txt');
  await fake.until(() => fake.texts().includes('yes'));
  assert.equal(lastOf(server.requests[0]), '"read @file:big.txt"');
  assert.match(fake.texts()[0] ?? '', /^⚠️ /);
});

test('a skill is typed like a command, and its text goes to the model', async (t) => {
  await using server = await startModelServer({ respond: () => ({ text: 'yes' }) });
  const place = placeFor(t, server, quiet);
  const folder = join(place.homePath, 'skills', 'tea');
  mkdirSync(folder, { recursive: true });
  writeFileSync(
    join(folder, 'SKILL.md'),
    '---\nname: tea\ndescription: makes tea\n---\nPour the water at 80 degrees.\n',
  );
  const { fake } = await openGateway(t, server, { place });
  await fake.say('/tea for two');
  await fake.until(() => fake.texts().includes('yes'));
  assert.match(lastOf(server.requests[0]), /80 degrees[\s\S]*for two/);
});
