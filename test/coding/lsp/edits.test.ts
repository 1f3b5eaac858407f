/** What an edit says of the errors that it brought, with a language server that speaks the real wire format. */
import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite, test } from 'node:test';
import { said } from '../../tools/file/support.ts';
import { openProject } from './support.ts';

suite('errors that an edit brings', { concurrency: 2 }, () => {
  for (const manner of ['publishes', 'publishes-in-parts', 'is-asked', 'reads-the-project'] as const) {
    test(`an edit tells the errors that are new, and no others (the server ${manner})`, async (t) => {
      const place = openProject(t, { manner });
      const path = place.put('a.lua', 'one BAD\ntwo\n');
      const first = await place.write({ path: 'a.lua', content: '-- a line more\none BAD\ntwo\nthree BAD\n' });
      assert.equal(
        said(first, 'lsp_diagnostics'),
        `<diagnostics file="${path}">\nERROR [4:3] not good: three BAD [E1] (fake)\n</diagnostics>`,
      );
      const second = await place.patch({ path: 'a.lua', old_string: 'two', new_string: 'two and a half' });
      assert.equal(second['success'], true);
      assert.equal(second['lsp_diagnostics'], undefined);
      const third = await place.patch({ path: 'a.lua', old_string: 'two and', new_string: 'WARN BAD and' });
      assert.match(
        said(third, 'lsp_diagnostics'),
        /^<diagnostics.*\nERROR \[3:3\] not good: WARN BAD and a half.*\n<.*$/,
      );
    });
  }

  test('in a new file every error is new; its rows are few, and nothing in them is markup', async (t) => {
    const place = openProject(t, { manner: 'publishes' });
    const content = `<b>&BAD\n${'BAD \u001b[31m\n'.repeat(30)}BAD ${'long '.repeat(100)}\n`;
    const { lsp_diagnostics: text } = await place.write({ path: 'new.lua', content });
    const lines = String(text).split('\n');
    assert.equal(lines[1], 'ERROR [1:3] not good: &lt;b&gt;&amp;BAD [E1] (fake)');
    assert.equal(lines[2], 'ERROR [2:3] not good: BAD [E1] (fake)');
    assert.deepEqual(lines.slice(21), ['... and 12 more', '</diagnostics>']);
    const long = await place.write({ path: 'long.lua', content: `BAD ${'<'.repeat(1000)}\n`.repeat(20) });
    assert.ok(said(long, 'lsp_diagnostics').length <= 4000);
    assert.match(said(long, 'lsp_diagnostics'), /&lt;… \[E1\][^]*\n\.\.\. and 1\d more\n<\/diagnostics>$/);
  });

  test('files of one patch are looked at together, once all of them are written', async (t) => {
    const place = openProject(t, { manner: 'publishes' });
    place.put('a.lua', 'a\n');
    place.put('b.lua', 'b BAD\n');
    place.put('c.lua', 'c\n');
    const patch = `*** Begin Patch
*** Update File: a.lua
@@
-a
+a BAD
*** Update File: b.lua
@@
-b BAD
+b BAD
+b WORSE
*** Add File: d.lua
+d
*** Delete File: c.lua
*** End Patch`;
    const answer = await place.patch({ mode: 'patch', patch });
    assert.equal(answer['success'], true);
    assert.equal(
      said(answer, 'lsp_diagnostics').replaceAll(`${place.directory}/`, ''),
      `<diagnostics file="a.lua">
ERROR [1:3] not good: a BAD [E1] (fake)
</diagnostics>
<diagnostics file="b.lua">
ERROR [2:3] not good: b WORSE [E1] (fake)
ERROR [2:3] not good: b WORSE [E1] (fake)
</diagnostics>`,
    );
    const diary = place.diary();
    const lastChange = diary.lastIndexOf('textDocument/didChange');
    assert.ok(diary.indexOf('textDocument/didClose') > lastChange, 'a file was let go of before the others were told');
    assert.equal(diary.filter((line) => line.startsWith('started')).length, 1);
  });

  test('outside of a git work tree, and in files without a server, nothing is started', async (t) => {
    const outside = openProject(t, { manner: 'publishes', outsideGit: true });
    const answer = await outside.write({ path: 'a.lua', content: 'BAD\n' });
    assert.deepEqual([answer['bytes_written'], answer['lsp_diagnostics']], [4, undefined]);
    assert.deepEqual(outside.diary(), []);
    const inside = openProject(t, { manner: 'publishes' });
    for (const path of ['a.txt', 'lua', '.lua.bak']) await inside.write({ path, content: 'BAD\n' });
    assert.deepEqual(inside.diary(), []);
  });

  test('a server that is switched off, or all of them, is not started', async (t) => {
    const all = openProject(t, { manner: 'publishes', settings: { enabled: false } });
    await all.write({ path: 'a.lua', content: 'BAD\n' });
    const one = openProject(t, { settings: { servers: { 'lua-language-server': { disabled: true } } } });
    await one.write({ path: 'a.lua', content: 'BAD\n' });
    assert.deepEqual([all.diary(), one.diary()], [[], []]);
    assert.equal(await one.diagnostics.covers(join(one.directory, 'a.lua')), false);
  });

  test('where the syntax is broken no server is waited for', async (t) => {
    const place = openProject(t, {
      settings: { servers: { pyright: { command: 'true' } }, wait_timeout: 0.2 },
    });
    const answer = await place.write({ path: 'a.py', content: 'def (:\n' });
    assert.match(said(answer, 'lint'), /"error"|skipped/);
    assert.equal(answer['lsp_diagnostics'], undefined);
  });

  test('what the configuration says reaches the server, and each project has one of its own', async (t) => {
    const place = openProject(t, { manner: 'publishes' });
    for (const name of ['one', 'two']) {
      mkdirSync(join(place.directory, name));
      writeFileSync(join(place.directory, name, '.luarc.json'), '{}');
      await place.write({ path: `${name}/a.lua`, content: 'fine\n' });
    }
    await place.write({ path: 'one/deep/b.lua', content: 'fine\n' });
    assert.equal(place.diary().filter((line) => line.startsWith('started')).length, 2);
  });
});
