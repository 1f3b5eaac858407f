/** A reply that several starts could not deliver, messages of one moment, and what a model reads of turn after turn. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import { test } from 'node:test';
import { startModelServer } from '../fakes/model-server.ts';
import { placeFor } from '../runtime/support.ts';
import { execute, query } from '../sessions/support.ts';
import { openGateway } from './support.ts';

const quiet =
  'auxiliary:\n  title_generation:\n    enabled: false\ndisplay:\n  busy_input_mode: queue\n  platforms:\n    fake:\n      streaming: false\n      tool_progress: off\n';

test('a reply that three starts could not deliver is given up, and its chat and the owner are told', async (t) => {
  await using server = await startModelServer();
  const place = placeFor(t, server, quiet);
  const before = await place.open();
  const row = { sessionKey: 'agent:main:fake:dm:c1', platform: 'fake', chatId: 'c1', threadId: null, details: '{}' };
  await before.store?.outbox.add({ ...row, id: 'tried', content: 'the answer' });
  await before.store?.outbox.add({ ...row, id: 'fresh', content: 'another answer' });
  await before.close();
  const database = join(place.homePath, 'state.db');
  execute(
    database,
    "UPDATE delivery_obligations SET attempts = 3, state = 'failed', owner_pid = 0 WHERE obligation_id = 'tried'",
  );
  const { fake, gateway } = await openGateway(t, server, { place });
  await fake.until(() => fake.texts('c1').length === 2 && fake.texts('home').length === 1);
  const [answer, told] = fake.texts('c1').toSorted();
  assert.deepEqual([answer?.startsWith('My answer to this could not be sent'), told], [true, 'another answer']);
  assert.match(fake.texts('home')[0] ?? '', /A reply to the chat c1 could not be delivered: it failed after 3 starts/);
  const state = () =>
    query(database, "SELECT state FROM delivery_obligations WHERE obligation_id = 'tried'")[0]?.['state'];
  while (state() !== 'abandoned') await sleep(5);
  await gateway.delivery.settled(AbortSignal.timeout(60_000));
});

test('messages of one moment have their turns one after the other, with the same prompt to the byte, after a restart too', async (t) => {
  const prompts: string[] = [];
  await using server = await startModelServer({
    respond: ({ body }) => {
      prompts.push(JSON.stringify(body.messages[0]));
      return { text: 'the last word' };
    },
  });
  const gate = Promise.withResolvers<void>();
  server.enqueue({ text: 'the first word', gate: gate.promise });
  const { fake, gateway, close, place } = await openGateway(t, server, { config: quiet });
  const taken = await Promise.all([fake.say('one'), fake.say('two'), fake.say('three')]);
  assert.deepEqual(taken, ['accepted', 'accepted', 'accepted']);
  await server.requestArrived(1);
  for (let turn = 0; turn < 20; turn += 1) await nextTurn();
  assert.equal(server.requests.length, 1);
  gate.resolve();
  await fake.until(() => fake.texts().includes('the last word'));
  assert.equal(fake.texts()[0], 'the first word');
  await gateway.chats.settled(AbortSignal.timeout(60_000));
  await close();
  const before = prompts.length;
  await openGateway(t, server, { place, fake });
  await fake.say('four');
  await fake.until(() => prompts.length > before);
  const [first] = server.requests;
  assert.deepEqual(new Set(prompts), new Set([JSON.stringify(first?.body.messages[0])]));
});
