/** `search_files` that only names or counts: every file once, with the lines that the content mode would show. */
import assert from 'node:assert/strict';
import { linkSync, symlinkSync } from 'node:fs';
import { join, posix } from 'node:path';
import { test } from 'node:test';
import { namedFiles } from '../../../src/tools/file/search/named-files.ts';
import { openWorkplace, said, type Workplace } from './support.ts';

interface Kind {
  readonly what: string;
  readonly name: string;
  readonly bytes: string | Uint8Array;
  /** Lines with a hit; 0: the file is left out. */
  readonly lines: number;
  /** What grep makes of it, where that is something else; undefined where it depends on the language of the machine. */
  readonly byGrep?: number | undefined;
}

const kinds: readonly Kind[] = [
  { what: 'several lines', name: 'a/several.txt', bytes: 'hit\nno\nhit\n', lines: 2 },
  { what: 'several hits in one line', name: 'a/twice.txt', bytes: 'hit hit hit\n', lines: 1 },
  { what: 'a last line without an end', name: 'a/open.txt', bytes: 'no\nhit', lines: 1 },
  { what: 'line ends of Windows', name: 'a/crlf.txt', bytes: 'hit\r\nhit\r\n', lines: 2 },
  { what: 'a line that is longer than is shown', name: 'b/long.txt', bytes: `${'x'.repeat(9000)}hit\n`, lines: 1 },
  { what: 'a name with colons and spaces', name: 'b/odd: 1:2 name.txt', bytes: 'hit\n', lines: 1 },
  { what: 'a name with a line end', name: 'b/two\nlines.txt', bytes: 'hit\nhit\nhit\n', lines: 3 },
  { what: 'another alphabet', name: 'b/größe.txt', bytes: 'größe hit\n', lines: 1 },
  {
    what: 'Latin-1',
    name: 'b/latin.txt',
    bytes: Buffer.from('gr\xf6\xdfe hit\n', 'latin1'),
    lines: 1,
    byGrep: undefined,
  },
  {
    what: 'UTF-16',
    name: 'b/utf16.txt',
    bytes: Buffer.from('\ufeffhit\nhit\n', 'utf16le'),
    lines: 2,
    byGrep: undefined,
  },
  { what: 'no hit', name: 'c/none.txt', bytes: 'nothing\n', lines: 0 },
  { what: 'nothing at all', name: 'c/empty.txt', bytes: '', lines: 0 },
  { what: 'a binary file that begins as text', name: 'c/late.dat', bytes: `no\n${'x\n'.repeat(60_000)}\0`, lines: 0 },
  { what: 'a binary file', name: 'c/binary.dat', bytes: 'hit\n\0\nhit\n', lines: 0 },
  { what: 'a hidden file', name: 'c/.hidden.txt', bytes: 'hit\n', lines: 0 },
  { what: 'a hidden folder', name: '.c/inside.txt', bytes: 'hit\n', lines: 0 },
  { what: 'an ignored file', name: 'made/ignored.txt', bytes: 'hit\n', lines: 0, byGrep: 1 },
];

function fill(place: Workplace, ofThese: readonly Kind[]): void {
  for (const { name, bytes } of ofThese) place.put(name, bytes);
  place.put('.ignore', 'made/\n');
  symlinkSync(join(place.directory, 'a/several.txt'), join(place.directory, 'a/link.txt'));
  symlinkSync(join(place.directory, 'a'), join(place.directory, 'linked'));
}

for (const ripgrep of [true, false]) {
  const tool = ripgrep ? 'ripgrep' : 'grep';

  test(`${tool}: names and counts agree with the lines, for every kind of file`, async (t) => {
    const place = openWorkplace(t, { ripgrep });
    const searched = kinds.filter((kind) => ripgrep || !('byGrep' in kind) || kind.byGrep !== undefined);
    fill(place, searched);
    const linesOf = ({ lines, byGrep = lines }: Kind): number => (ripgrep ? lines : byGrep);
    const wanted = searched.filter((kind) => linesOf(kind) > 0);
    const { total_count: total, counts } = await place.search({ pattern: 'hit', output_mode: 'count' });
    for (const kind of searched)
      assert.equal((counts as Record<string, number>)[kind.name] ?? 0, linesOf(kind), kind.what);
    assert.equal(total, wanted.length, 'links are not followed');
    const { total_count: named, files } = await place.search({ pattern: 'hit', output_mode: 'files_only' });
    assert.equal(named, wanted.length);
    assert.deepEqual((files as string[]).toSorted(), wanted.map(({ name }) => name).toSorted());
    const { total_count: lines, matches_text: text } = await place.search({ pattern: 'hit', limit: 100 });
    for (const { name } of wanted) assert.ok((text as string).includes(`${name}\n  `), name);
    assert.equal(
      lines,
      wanted.reduce((sum, kind) => sum + linesOf(kind), 0),
    );
  });

  test(`${tool}: pages of names and counts follow one order and leave nothing out`, async (t) => {
    const place = openWorkplace(t, { ripgrep });
    for (let n = 0; n < 23; n += 1) place.put(`dir-${n % 4}/f${n}.txt`, 'hit\n'.repeat((n % 3) + 1));
    const all = (await place.search({ pattern: 'hit', output_mode: 'files_only' }))['files'] as string[];
    assert.equal(new Set(all).size, 23);
    assert.deepEqual(ripgrep ? all : all.toSorted(), all.toSorted());
    const paged: string[] = [];
    const counted: [string, number][] = [];
    for (let offset = 0; offset < 23; offset += 5) {
      const page = { pattern: 'hit', limit: 5, offset };
      const names = await place.search({ ...page, output_mode: 'files_only' });
      const counts = await place.search({ ...page, output_mode: 'count', context: 3 });
      for (const { total_count: total, hint, truncated } of [names, counts]) {
        assert.equal(total, 23);
        assert.equal(hint, offset === 20 ? undefined : `Go on with offset ${offset + 5}.`);
        assert.equal(truncated, offset === 20 ? undefined : true);
      }
      paged.push(...(names['files'] as string[]));
      counted.push(...Object.entries(counts['counts'] as Record<string, number>));
    }
    assert.deepEqual(paged, all);
    assert.deepEqual(
      counted,
      all.map((name) => [name, (Number(/f(\d+)/.exec(name)?.[1]) % 3) + 1]),
    );
    const { files: beyond, total_count: still } = await place.search({
      pattern: 'hit',
      output_mode: 'files_only',
      offset: 23,
    });
    assert.deepEqual([beyond, still], [undefined, 23]);
  });

  test(`${tool}: a second name of a file that must not be read tells nothing in any mode`, async (t) => {
    const place = openWorkplace(t, { ripgrep });
    linkSync(place.put(join(place.userHome, '.netrc'), 'hit\nhit\n'), join(place.directory, 'notes.txt'));
    linkSync(place.put(join(place.userHome, '.hermes', 'auth.json'), 'hit\n'), join(place.directory, 'more.txt'));
    linkSync(place.put('kept.txt', 'hit\n'), join(place.directory, 'again.txt'));
    for (const output_mode of ['content', 'files_only', 'count']) {
      const found = await place.search({ pattern: 'hit', output_mode });
      assert.doesNotMatch(found.text, /notes\.txt|more\.txt/, output_mode);
      assert.equal(found['total_count'], 2, output_mode);
      assert.match(said(found, '_omitted'), /in files that hold credentials/);
    }
  });
}

test('more lines than are looked at are counted to the end all the same', async (t) => {
  const place = openWorkplace(t, {
    otherwise: (local) => ({
      runProgram: (argv, options) => local.runProgram(argv, { ...options, maxOutput: 4000 }),
    }),
  });
  for (let n = 10; n < 40; n += 1) place.put(`f${n}.txt`, 'a line that has a hit in it\n'.repeat(50));
  assert.equal((await place.search({ pattern: 'hit' }))['truncated'], true);
  const { total_count: total, counts } = await place.search({ pattern: 'hit', output_mode: 'count' });
  assert.equal(total, 30);
  assert.deepEqual(new Set(Object.values(counts as Record<string, number>)), new Set([50]));
  assert.equal((await place.search({ pattern: 'hit', output_mode: 'files_only' }))['total_count'], 30);
});

test('a glob over folders means what it means for each path by itself', () => {
  const globs = 'src/*.ts */*.ts **/a.ts src/** s?c/**/*.ts **/deep/* ./src/ [sp]*/b.* src/**/deep/** /src/*.ts'.split(
    ' ',
  );
  const folders = ['', 'src', 'src/deep', 'pkg', 'pkg/src', 'pkg/src/deep', 'src/deep/src', 'srcs'];
  const names = ['a.ts', 'b.ts', 'b.md', 'c'];
  for (const glob of globs) {
    const named = namedFiles(glob, '/root');
    const whole = glob.replace(/\/+$/, '/**').replace(/^(?:\.?\/)+/, '');
    for (const folder of folders) {
      for (const file of names) {
        // The program has looked at the name.
        if (!posix.matchesGlob(file, named.name ?? '*')) continue;
        const path = folder === '' ? file : `${folder}/${file}`;
        const isMeant = whole.includes('/') && !/^\*\*\/[^/]+$/.test(whole) ? posix.matchesGlob(path, whole) : true;
        assert.equal(named.means(`/root/${path}`), isMeant, `${glob} ${path}`);
      }
    }
  }
});
