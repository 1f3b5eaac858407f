/** `/browser` as it is typed. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startModelServer } from '../fakes/model-server.ts';
import { openConversation } from './conversation.ts';

test('/browser tells which browser is used, and refuses what is none', async (t) => {
  await using server = await startModelServer();
  const chat = await openConversation(t, server, 'browser:\n  cdp_url: http://127.0.0.1:9/\n');
  assert.equal(await chat.type('/browser'), 'Browser: the one at 127.0.0.1:9, opened with the first page.');
  assert.equal(await chat.type('/browser status'), 'Browser: the one at 127.0.0.1:9, opened with the first page.');
  await assert.rejects(chat.type('/browser connect http://127.0.0.1:10'), /No browser answers at 127\.0\.0\.1:10\./);
  await assert.rejects(chat.type('/browser connect here'), /'here' is no address of a browser/);
  await assert.rejects(chat.type('/browser fly'), /'\/browser fly' is not understood/);
  assert.equal(await chat.type('/browser disconnect'), 'Browser: the one at 127.0.0.1:9, opened with the first page.');
});
