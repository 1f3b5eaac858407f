/** A session tells its model what an edit has broken, and its language servers end with it. */
import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { living } from '../environments/support.ts';
import { languageServer } from '../fakes/language-server.ts';
import { startModelServer } from '../fakes/model-server.ts';
import { chatAt, placeFor, textOf } from './support.ts';

test('the errors that an edit brought are part of its result; the server is there until the session ends', async (t) => {
  await using server = await startModelServer();
  const bare = placeFor(t, server);
  const diary = join(bare.homePath, 'diary');
  const servers = { 'lua-language-server': { command: languageServer('leaves-a-child', diary) } };
  const place = { ...bare, ...placeFor(t, server, `lsp: ${JSON.stringify({ servers })}\n`) };
  mkdirSync(join(place.work, '.git'));
  const { session } = await chatAt(place, { mode: { yolo: true } });
  const write = (content: string) => ({
    toolCalls: [{ name: 'write_file', arguments: { path: 'a.lua', content } }],
  });
  server.enqueue(write('fine\n'), write('fine\nnot BAD\n'), { text: 'Done.' });
  assert.equal((await session.agent.runConversation('go')).finalResponse, 'Done.');
  const results = server.requests.map(({ body }) => textOf(body.messages.at(-1)));
  assert.doesNotMatch(results[1] ?? '', /lsp_diagnostics/);
  const { lsp_diagnostics: text } = JSON.parse(results[2] ?? '');
  assert.match(
    text,
    /^<diagnostics file=".*\/a\.lua">\nERROR \[2:3\] not good: not BAD \[E1\] \(fake\)\n<\/diagnostics>$/,
  );
  assert.equal(living(diary).length, 2);
  await session.close('test');
  assert.deepEqual(living(diary), []);
});
