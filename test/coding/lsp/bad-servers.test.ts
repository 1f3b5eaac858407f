/** Language servers that do what none should: an edit goes on without them, and none is left behind. */
import assert from 'node:assert/strict';
import { mkdirSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite, test } from 'node:test';
import { living } from '../../environments/support.ts';
import type { Manner } from '../../fakes/language-server.ts';
import { said } from '../../tools/file/support.ts';
import { openProject, type Project } from './support.ts';

const quickly = { wait_timeout: 0.5 };

function starts(place: Project): number {
  return place.diary().filter((line) => line.startsWith('started')).length;
}

/** Two edits that a good server would have found an error in. */
async function editTwice(place: Project, path = 'a.lua'): Promise<void> {
  place.put(path, 'one\n');
  for (const content of ['one\ntwo BAD\n', 'one\ntwo BAD\nthree BAD\n']) {
    const answer = await place.write({ path, content });
    assert.equal(answer['bytes_written'], content.length);
    assert.equal(answer['lsp_diagnostics'], undefined);
    assert.equal(place.get(path), content);
  }
}

suite('servers that fail', { concurrency: 2 }, () => {
  const broken: readonly [Manner, RegExp][] = [
    ['refuses-to-start', /no licence/],
    ['crashes-on-a-change', /ended with 3|closed its output|EPIPE/],
    ['talks-garbage', /no message|without its length/],
    ['announces-terabytes', /a message of 5000000000000 bytes/],
    ['floods', /bytes without a question/],
  ];
  for (const [manner, reason] of broken) {
    test(`one that ${manner} is not tried again before a restart`, async (t) => {
      const place = openProject(t, { manner, settings: { wait_timeout: 20 } });
      await editTwice(place);
      assert.equal(starts(place), 1);
      assert.match(place.log.join('\n'), reason);
      assert.match(
        place.log.join('\n'),
        /no more use of the language server lua-language-server until hermes lsp restart/,
      );
      assert.equal(await place.diagnostics.covers(join(place.directory, 'a.lua')), false);
      // As `hermes lsp restart` does in another process.
      mkdirSync(place.folder, { recursive: true });
      writeFileSync(join(place.folder, 'restart'), '');
      utimesSync(join(place.folder, 'restart'), 1, 1);
      await place.write({ path: 'a.lua', content: 'one more\n' });
      assert.equal(starts(place), 2);
    });
  }

  test('one that is not there costs nothing', async (t) => {
    const command = '/nowhere/lua-language-server';
    const place = openProject(t, { settings: { servers: { 'lua-language-server': { command } } } });
    await editTwice(place);
  });

  test('the start of one is waited for once; later edits go on at once until it is ready', async (t) => {
    const place = openProject(t, { manner: 'never-starts', settings: quickly });
    await editTwice(place);
    assert.equal(starts(place), 1);
    assert.equal(await place.diagnostics.covers(join(place.directory, 'a.lua')), true);
  });

  test('a first answer may take its time: one edit waits for it, the next ones go on at once', async (t) => {
    const place = openProject(t, { manner: 'never-answers', settings: quickly });
    await editTwice(place);
    await editTwice(place, 'b.lua');
    assert.equal(place.diary().filter((line) => line === 'textDocument/didOpen').length, 1);
    assert.equal(place.log.filter((line) => line.includes('took too long')).length, 1);
  });

  test('one that falls silent is asked three times more', async (t) => {
    const place = openProject(t, { manner: 'falls-silent', settings: quickly });
    for (const name of ['a.lua', 'b.lua', 'c.lua']) await editTwice(place, name);
    assert.match(place.log.join('\n'), /did not answer in time, 3 times in a row/);
    assert.equal(starts(place), 1);
  });

  test('an interrupt ends the wait, and the file is written all the same', async (t) => {
    const place = openProject(t, { manner: 'never-answers', settings: { wait_timeout: 60 } });
    const stopped = new AbortController();
    const watched = place.diagnostics.before(join(place.directory, 'a.lua'), 'one\n', stopped.signal);
    stopped.abort();
    assert.equal(await watched, undefined);
  });

  test('with the session its servers end, and what they started', async (t) => {
    const place = openProject(t, { manner: 'leaves-a-child' });
    await place.write({ path: 'a.lua', content: 'fine\n' });
    assert.equal(living(place.diaryFile).length, 2);
    await place.diagnostics.close();
    assert.deepEqual(living(place.diaryFile), []);
    const answer = await place.write({ path: 'a.lua', content: 'BAD\n' });
    assert.equal(answer['lsp_diagnostics'], undefined);
  });

  test('a server sees the variables of its own, and no secret', async (t) => {
    const place = openProject(t, {
      manner: 'shows-variables',
      env: { OPENROUTER_API_KEY: 'sk-or-1234', HERMES_YOLO_MODE: '1', EDITOR: 'vi' },
    });
    const names = said(await place.write({ path: 'a.lua', content: 'BAD\n' }), 'lsp_diagnostics');
    assert.match(names, /EDITOR/);
    assert.doesNotMatch(names, /OPENROUTER|YOLO/);
  });
});
