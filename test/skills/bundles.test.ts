/** Bundles: files that name several skills, written by hand or by a command. */
import assert from 'node:assert/strict';
import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { createBundle, deleteBundle, readBundles } from '../../src/skills/bundles.ts';
import { makeHome } from './support.ts';

test('a home without bundles has none, and no warning', async (t) => {
  assert.deepEqual(await readBundles(join(makeHome(t).path, 'skill-bundles')), { bundles: [], warnings: [] });
});

test('a bundle written by hand may be short: its file names it, and its skills may be one string', async (t) => {
  const home = makeHome(t);
  home.put('skill-bundles/Back_End.yml', 'skills: one, two, one\n');
  const { bundles, warnings } = await readBundles(join(home.path, 'skill-bundles'));
  assert.deepEqual(warnings, []);
  assert.deepEqual(bundles, [
    {
      slug: 'back-end',
      name: 'Back_End',
      description: '',
      skills: ['one', 'two'],
      instruction: '',
      file: join(home.path, 'skill-bundles/Back_End.yml'),
    },
  ]);
});

test('each file that is no bundle is one warning, and the others are read', async (t) => {
  const home = makeHome(t);
  home.put('skill-bundles/good.yaml', 'skills: [one]\n');
  home.put('skill-bundles/broken.yaml', 'skills: [one\n');
  home.put('skill-bundles/empty.yaml', 'description: nothing in it\n');
  home.put('skill-bundles/list.yaml', '- one\n');
  home.put('skill-bundles/nameless.yaml', 'name: "!!!"\nskills: [one]\n');
  home.put('skill-bundles/twin.yaml', 'name: Good\nskills: [two]\n');
  home.put('skill-bundles/.hidden.yaml', 'skills: [one]\n');
  home.put('skill-bundles/notes.txt', 'not a bundle');
  mkdirSync(join(home.path, 'skill-bundles/folder.yaml'));
  const { bundles, warnings } = await readBundles(join(home.path, 'skill-bundles'));
  assert.deepEqual(
    bundles.map(({ slug, skills }) => [slug, ...skills]),
    [['good', 'one']],
  );
  for (const part of ['broken', 'empty', 'list', 'nameless', 'twin', 'folder']) {
    assert.equal(warnings.filter((line) => line.includes(`${part}.yaml`)).length, 1, warnings.join('\n'));
  }
  assert.equal(warnings.length, 6);
});

test('a folder of bundles that is none is one warning', async (t) => {
  const home = makeHome(t);
  home.put('skill-bundles', 'a file');
  assert.match((await readBundles(join(home.path, 'skill-bundles'))).warnings.join(), /cannot be read/);
});

test('text of a file stays on one line of a list', async (t) => {
  const home = makeHome(t);
  home.put('skill-bundles/odd.yaml', 'name: odd\ndescription: "a\\nb\\u202ec"\nskills: ["one\\ntwo"]\n');
  const [bundle] = (await readBundles(join(home.path, 'skill-bundles'))).bundles;
  assert.deepEqual([bundle?.description, bundle?.skills], ['a b c', ['one two']]);
});

test('names that no command can have, and bundles of nothing, are refused before anything is written', async (t) => {
  const home = makeHome(t);
  for (const name of ['', '../..', '!!!', 'a'.repeat(65)]) {
    await assert.rejects(createBundle(join(home.path, 'skill-bundles'), { name, skills: ['one'] }), {
      name: 'UserError',
      exitCode: 2,
    });
  }
  for (const skills of [[], ['', '  ']]) {
    await assert.rejects(createBundle(join(home.path, 'skill-bundles'), { name: 'x', skills }), { hint: /--skill/ });
  }
  assert.ok(!existsSync(join(home.path, 'skill-bundles')));
});

test('a file in the way is replaced on purpose only, one that is broken too', async (t) => {
  const home = makeHome(t);
  home.put('skill-bundles/x.yaml', 'broken: [');
  const wanted = { name: 'x', skills: ['one'] };
  await assert.rejects(createBundle(join(home.path, 'skill-bundles'), wanted), { hint: /--force/ });
  assert.equal(home.get('skill-bundles/x.yaml'), 'broken: [');
  await createBundle(join(home.path, 'skill-bundles'), { ...wanted, force: true });
  assert.deepEqual((await readBundles(join(home.path, 'skill-bundles'))).bundles[0]?.skills, ['one']);
});

test('a bundle is replaced and deleted by its name, whatever its file is called', async (t) => {
  const home = makeHome(t);
  home.put('skill-bundles/first.yaml', 'name: Back End\nskills: [one]\n');
  const made = await createBundle(join(home.path, 'skill-bundles'), { name: 'back-end', skills: ['two'], force: true });
  assert.equal(made.file, join(home.path, 'skill-bundles/first.yaml'));
  assert.equal(await deleteBundle(join(home.path, 'skill-bundles'), 'Back End'), true);
  assert.ok(!existsSync(made.file));
  assert.equal(await deleteBundle(join(home.path, 'skill-bundles'), 'back-end'), false);
});
