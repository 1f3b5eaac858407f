/** What is said about the syntax of a file after an edit of it. */
import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { test } from 'node:test';
import { openWorkplace, said } from './support.ts';

test('only what an edit brought in is held against it', async (t) => {
  const place = openWorkplace(t);
  place.put('a.js', 'let = = 1;\nlet two = 2;\n');
  const above = await place.patch({ path: 'a.js', old_string: 'let = = 1;', new_string: '// a line more\nlet = = 1;' });
  assert.deepEqual(above['lint'], {
    status: 'ok',
    output: '',
    message: 'What is wrong in this file was so before the edit.',
  });
  const worse = await place.patch({ path: 'a.js', old_string: 'let = = 1;', new_string: 'let one = = 1;' });
  const { status, output } = worse['lint'] as { status: string; output: string };
  assert.equal(status, 'error');
  assert.match(output, /a\.js:2\nlet one = = 1;/);
  assert.ok(!output.includes('node:internal'), output);
  const mended = await place.patch({ path: 'a.js', old_string: 'let one = = 1;', new_string: 'let one = 1;' });
  assert.deepEqual(mended['lint'], { status: 'ok', output: '' });
  assert.deepEqual(
    readdirSync(tmpdir()).filter((name) => name.startsWith('hermes-before-')),
    [],
  );
});

test('of many faults in a Go file those are named that are new', async (t) => {
  const place = openWorkplace(t);
  if ((await place.services.environment.findProgram('gofmt')) === undefined) return t.skip('gofmt is not installed');
  place.put('a.go', 'package x\n\nfunc a() {\n\tx := = 1\n}\n');
  const edited = await place.write({
    path: 'a.go',
    content: 'package x\n\nvar y = = 2\n\nfunc a() {\n\tx := = 1\n}\n',
  });
  const { status, output } = edited['lint'] as { status: string; output: string };
  assert.deepEqual([status, output.split('\n').length], ['error', 1]);
  assert.match(output, /a\.go:3:/);
});

test('a fault in a TypeScript file is shown with its line, and a new one at another place is new', async (t) => {
  const place = openWorkplace(t);
  place.put('a.ts', 'const a: number = ;\n');
  const same = await place.write({ path: 'a.ts', content: '// above\nconst a: number = ;\n' });
  assert.equal(JSON.parse(said(same, 'lint')).status, 'ok');
  const other = await place.write({ path: 'a.ts', content: 'const b: number = ;\nconst a = 1;\n' });
  assert.match(JSON.parse(said(other, 'lint')).output, /a\.ts:1\nconst b/);
});

test('a fault in a Python file that was there is known again, although Python leaves out the folder', async (t) => {
  const place = openWorkplace(t);
  if ((await place.services.environment.findProgram('python3')) === undefined)
    return t.skip('python3 is not installed');
  place.put('a.py', 'def f(:\n  pass\n');
  const same = await place.write({ path: 'a.py', content: '# above\ndef f(:\n  pass\n' });
  assert.equal(JSON.parse(said(same, 'lint')).status, 'ok');
  const other = await place.write({ path: 'a.py', content: 'x = (1]\n' });
  assert.match(JSON.parse(said(other, 'lint')).output, /a\.py, line 1/);
});

test('a checker that cannot run counts as skipped', async (t) => {
  const place = openWorkplace(t, {
    otherwise: () => ({ findProgram: () => Promise.resolve('/nowhere/python3') }),
  });
  const { lint } = await place.write({ path: 'a.py', content: 'def (\n' });
  assert.equal((lint as { status: string }).status, 'skipped');
});
