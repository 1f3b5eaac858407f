/** A conversation as a file beside the store, for programs that read it there. */
import assert from 'node:assert/strict';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { startModelServer } from '../fakes/model-server.ts';
import { chatAt, placeFor } from './support.ts';

test('with sessions.write_json_snapshots each answer updates the file of its session, without secrets', async (t) => {
  await using server = await startModelServer({ respond: () => ({ text: 'Done.' }) });
  const place = placeFor(t, server, 'sessions:\n  write_json_snapshots: true\n');
  const chat = await chatAt(place);
  await chat.say('my key is ghp_abcdefghijklmnopqrstuvwxyz0123456789');
  const path = join(place.homePath, 'sessions', `session_${chat.session.id}.json`);
  const read = () => JSON.parse(readFileSync(path, 'utf8'));
  const first = read();
  assert.deepEqual(
    first.messages.map(({ role }: { role: string }) => role),
    ['user', 'assistant'],
  );
  assert.deepEqual([first.session_id, first.message_count, first.platform], [chat.session.id, 2, 'test']);
  assert.ok(first.system_prompt.length > 100 && first.tools.length === chat.session.tools.length);
  assert.doesNotMatch(readFileSync(path, 'utf8'), /ghp_abcdefghijklmnopqrstuvwxyz/);
  await chat.say('again');
  assert.equal(read().message_count, 4);
  writeFileSync(path, '{"message_count": 90}');
  await chat.say('and again');
  assert.equal(read().message_count, 90, 'a longer one is not replaced');
});

test('without it there is none', async (t) => {
  await using server = await startModelServer({ respond: () => ({ text: 'Done.' }) });
  const place = placeFor(t, server);
  const chat = await chatAt(place);
  await chat.say('hi');
  assert.ok(!existsSync(join(place.homePath, 'sessions', `session_${chat.session.id}.json`)));
});
