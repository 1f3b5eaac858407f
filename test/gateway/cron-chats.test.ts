/** How the results of scheduled jobs reach chats: each is written down once, whoever says it again. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cronChats } from '../../src/gateway/delivery/cron-chats.ts';
import { startModelServer } from '../fakes/model-server.ts';
import { openGateway } from './support.ts';

test('the result that a dead process had written down is sent, and not that nobody knows it', async (t) => {
  await using server = await startModelServer();
  const { fake, gateway } = await openGateway(t, server);
  const to = { platform: 'fake', chatId: 'c1', threadId: null };
  const left = { ...to, id: 'run 1', sessionKey: 'cron:j', content: 'the result', details: '{}' };
  await gateway.program.store?.outbox.add(left);
  const chats = cronChats(gateway, (text) => ({ text, files: [], refused: [] }));
  const { signal } = new AbortController();
  await chats.send(to, { id: 'run 1', jobId: 'j', text: 'it was cut off', signal });
  await chats.send(to, { id: 'run 2', jobId: 'j', text: 'another', signal });
  await gateway.delivery.recover('fake');
  await fake.until(() => fake.texts().length === 2);
  assert.deepEqual(fake.texts().toSorted(), ['another', 'the result']);
});
