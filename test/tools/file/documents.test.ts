/** Long files, notebooks, files of secrets, and text that only shows a file. */
import assert from 'node:assert/strict';
import { existsSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { isJsonObject } from '../../../src/lib/json.ts';
import { textOf } from '../../../src/llm/message.ts';
import { isDisplayText } from '../../../src/tools/file/display-text.ts';
import { readFileTool } from '../../../src/tools/file/read-file.ts';
import { linesWithin, numberLines } from '../../../src/tools/file/text-window.ts';
import { runTool } from '../support.ts';
import { openWorkplace, said } from './support.ts';

test('a file that is too long is cut at a whole line, and goes on exactly there', async (t) => {
  const place = openWorkplace(t);
  const text = Array.from({ length: 300 }, (_, n) => `${n} ${'x'.repeat(1000)}`);
  place.put('long.txt', `${text.join('\n')}\n`);
  const seen: string[] = [];
  for (let offset: unknown = 1; typeof offset === 'number'; ) {
    const part = await place.read({ path: 'long.txt', offset });
    const content = said(part, 'content');
    assert.ok(content.length <= 100_000);
    seen.push(...content.split('\n').map((line) => line.replace(/^\s*\d+\|/, '')));
    assert.deepEqual(
      [part['truncated'], part['truncated_by']],
      seen.length < 300 ? [true, 'bytes'] : [false, undefined],
    );
    if (seen.length < 300) assert.equal(part['next_offset'], seen.length + 1);
    offset = part['next_offset'];
  }
  assert.deepEqual(seen, text);
});

test('a part of a file ends where the window of the model does, and the next one goes on there', async (t) => {
  const place = openWorkplace(t);
  const text = Array.from({ length: 900 }, (_, n) => `${n} "${'\t'.repeat(20)}" \\${'y'.repeat(40)}`);
  place.put('long.txt', `${text.join('\n')}\n`);
  const seen: string[] = [];
  for (let offset: unknown = 1; typeof offset === 'number'; ) {
    const args = { path: 'long.txt', offset, limit: 2000 };
    const content = textOf((await runTool(readFileTool, args, place.services, { maxResultChars: 12_000 })).content);
    assert.ok(content.length <= 12_000, `${content.length}`);
    const part: unknown = JSON.parse(content);
    assert.ok(isJsonObject(part) && typeof part['content'] === 'string');
    seen.push(...part['content'].split('\n').map((line) => line.replace(/^\s*\d+\|/, '')));
    offset = part['next_offset'];
  }
  assert.deepEqual(seen, text);
});

test('as many whole lines are shown as fit, at least a part of one', () => {
  const line = fc.string({ maxLength: 12 }).map((text) => text.replaceAll('\n', ''));
  const lists = fc.array(line, { minLength: 1, maxLength: 30 });
  fc.assert(
    fc.property(lists, fc.integer({ min: 30, max: 400 }), fc.integer({ min: 1, max: 99_999 }), (all, max, first) => {
      const fit = linesWithin(all, first, max);
      assert.ok(fit.length > 0 && numberLines(fit, first).length <= max);
      assert.deepEqual(fit, all.slice(0, fit.length));
      if (fit.length < all.length) assert.ok(numberLines(all.slice(0, fit.length + 1), first).length > max);
    }),
    { seed: 1 },
  );
  const [cut = ''] = linesWithin(['x'.repeat(500)], 1, 100);
  assert.ok(cut.length > 0 && numberLines([cut], 1).length <= 100);
});

test('a notebook is shown as the text of its cells; a broken one as it is', async (t) => {
  const place = openWorkplace(t);
  const cells = [
    { cell_type: 'markdown', metadata: {}, source: ['# Title\n', 'words'] },
    { cell_type: 'code', metadata: {}, source: 'print(1)\n', outputs: [{ data: { 'image/png': 'aGVsbG8=' } }] },
  ];
  place.put('n.ipynb', JSON.stringify({ cells, metadata: {}, nbformat: 4 }));
  const read = await place.read({ path: 'n.ipynb' });
  assert.equal(read['extracted_document'], true);
  const content = said(read, 'content').replaceAll(/^\s*\d+\|/gm, '');
  assert.equal(content, '# ── Markdown cell 1 ──\n# Title\nwords\n\n# ── Code cell 1 ──\nprint(1)');
  place.put('bad.ipynb', '{"cells": 3');
  const bad = await place.read({ path: 'bad.ipynb' });
  assert.equal(bad['extracted_document'], undefined);
  assert.match(said(bad, 'content'), /\{"cells": 3$/);
});

test('files of secrets are closed wherever they are, their examples are not', async (t) => {
  const place = openWorkplace(t);
  const secret = place.put('app/.env.production', 'KEY=value\n');
  symlinkSync(secret, join(place.directory, 'innocent'));
  for (const path of [secret, 'innocent', place.put('.envrc', ''), place.put('.env', 'A=1')])
    assert.match(said(await place.read({ path }), 'error'), /^Access denied:/, path);
  place.put('.env.example', 'KEY=\n');
  assert.match(said(await place.read({ path: '.env.example' }), 'content'), /KEY=/);
});

test('numbered lines of a shown file are not written, lists with numbers are', async (t) => {
  const place = openWorkplace(t);
  const refused = await place.write({ path: 'd.txt', content: '1|x\n2|y' });
  assert.match(said(refused, 'error'), /^Refusing to write lines as read_file shows them/);
  assert.equal(existsSync(join(place.directory, 'd.txt')), false);
  for (const text of ['     9|a\n    10|b\n', '1|x\n\n2|y\n', '1|x\n2|y\n3|z\nplain'])
    assert.ok(isDisplayText(text), text);
  for (const text of ['1|x', '1|x\nplain', '3|x\n9|y', 'a|b\nc|d', '', '1. x\n2. y'])
    assert.ok(!isDisplayText(text), text);
});
