/** What a write tells beside its success, and writes of several sessions on one file. */
import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { processSettings } from '../../../src/config/process-settings.ts';
import { FileWrites } from '../../../src/tools/file/file-writes.ts';
import { ReadLedger } from '../../../src/tools/file/read-ledger.ts';
import { patchTool } from '../../../src/tools/file/patch.ts';
import { writeFileTool } from '../../../src/tools/file/write-file.ts';
import type { ToolServices } from '../../../src/tools/services.ts';
import { callTool, openWorkplace, said } from './support.ts';

test('a relative path that leads out of the checkout of the terminal is told', async (t) => {
  const place = openWorkplace(t);
  place.put('.git/HEAD', 'ref: refs/heads/main\n');
  mkdirSync(join(place.directory, '../other'));
  const out = await place.write({ path: '../other/a.txt', content: 'one\n' });
  assert.match(said(out, '_warning'), /^\.\.\/other\/a\.txt lies outside of .*\/work, the checkout.*\/other\/a\.txt/);
  const patched = await place.patch({ path: '../other/a.txt', old_string: 'one', new_string: 'two' });
  assert.match(said(patched, '_warning'), /lies outside/);
  const moved = await place.patch({ mode: 'patch', patch: '*** Add File: b.txt\n+x' });
  for (const answer of [
    moved,
    await place.write({ path: 'a.txt', content: 'x' }),
    await place.write({ path: join(place.directory, '../other/b.txt'), content: 'x' }),
    await place.write({ path: '~/c.txt', content: 'x' }),
  ])
    assert.ok(!('_warning' in answer) && answer['error'] === undefined, answer.text);
});

/** A second agent of the same process, in the same folder. */
function another(services: ToolServices): ToolServices {
  return { ...services, state: { ...services.state, readLedger: new ReadLedger() } };
}

test('what another agent of the process wrote is told by its name', async (t) => {
  const place = openWorkplace(t);
  const { services } = place;
  services.state.fileWrites.note(place.put('a.txt', 'theirs\n'), 'sess_other');
  const unseen = await callTool(writeFileTool, { path: 'a.txt', content: 'mine\n' }, services);
  assert.match(said(unseen, '_warning'), /last written by another agent \(session sess_other\)/);

  await place.read({ path: 'a.txt' });
  services.state.fileWrites.note(place.put('a.txt', 'theirs again\n'), 'sess_other');
  const stale = await callTool(patchTool, { path: 'a.txt', old_string: 'mine', new_string: 'x' }, services);
  assert.match(said(stale, 'error'), /changed by another agent \(session sess_other\) since you last read it/);
  assert.equal(place.get('a.txt'), 'theirs again\n');

  const free = { ...another(services), processSettings: processSettings({ HERMES_DISABLE_FILE_STATE_GUARD: '1' }) };
  const unguarded = await callTool(writeFileTool, { path: 'a.txt', content: 'x' }, free);
  assert.equal(unguarded['_warning'], undefined);
});

test('two agents that patch one file at once both keep what they did', async (t) => {
  const place = openWorkplace(t);
  const { services } = place;
  place.put('a.txt', Array.from({ length: 8 }, (_, n) => `line ${n}.\n`).join(''));
  const answers = await Promise.all(
    Array.from({ length: 8 }, (_, n) =>
      callTool(patchTool, { path: 'a.txt', old_string: `line ${n}.`, new_string: `done ${n}.` }, another(services)),
    ),
  );
  assert.ok(answers.every((answer) => answer['success'] === true));
  assert.equal(place.get('a.txt'), Array.from({ length: 8 }, (_, n) => `done ${n}.\n`).join(''));
});

test('who waits for a file takes no turn once interrupted, and those behind go on', async () => {
  const writes = new FileWrites();
  const first = Promise.withResolvers<string>();
  const order: string[] = [];
  const stop = new AbortController();
  const never = new AbortController().signal;
  const one = writes.alone(['/a', '/b'], never, () => first.promise);
  const two = writes.alone(['/b'], stop.signal, () => Promise.resolve(order.push('two')));
  const three = writes.alone(['/b', '/c'], never, () => Promise.resolve(order.push('three')));
  stop.abort();
  await assert.rejects(two, { name: 'AbortError' });
  assert.deepEqual(order, []);
  first.resolve('one');
  assert.equal(await one, 'one');
  await three;
  assert.deepEqual(order, ['three']);
});

test('also in a patch over several files the third miss in a row says to stop varying', async (t) => {
  const place = openWorkplace(t);
  place.put('a.txt', 'one\n');
  const miss = () => place.patch({ mode: 'patch', patch: '*** Update File: a.txt\n@@\n-zzz\n+two' });
  assert.match(said(await miss(), '_hint'), /^Read the file again/);
  await miss();
  assert.match(said(await miss(), '_hint'), /miss 3 in a row in a\.txt\. Stop varying/);
  await place.patch({ mode: 'patch', patch: '*** Update File: a.txt\n@@\n-one\n+two' });
  assert.match(said(await miss(), '_hint'), /^Read the file again/);
});
