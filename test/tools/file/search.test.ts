/** `search_files`, with ripgrep and without. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { openWorkplace, said, type Workplace } from './support.ts';

function fill(place: Workplace): void {
  place.put('src/a.ts', 'first\nneedle one\nlast\n');
  place.put('src/b: odd name.ts', 'needle two\n');
  place.put('src/c.md', 'needle three\nneedle four\n');
  place.put('.hidden/d.ts', 'needle hidden\n');
}

for (const ripgrep of [true, false]) {
  const tool = ripgrep ? 'ripgrep' : 'grep and find';

  test(`${tool}: lines, files and counts`, async (t) => {
    const place = openWorkplace(t, { ripgrep });
    fill(place);
    const found = await place.search({ pattern: 'needle', file_glob: '*.ts' });
    assert.equal(found['total_count'], 2);
    assert.deepEqual(
      (found['matches'] as { path: string; line: number; content: string }[]).toSorted((x, y) =>
        x.path.localeCompare(y.path),
      ),
      [
        { path: 'src/a.ts', line: 2, content: 'needle one' },
        { path: 'src/b: odd name.ts', line: 1, content: 'needle two' },
      ],
    );
    const counts = await place.search({ pattern: 'needle', output_mode: 'count', path: 'src' });
    assert.deepEqual(counts['counts'], { 'src/a.ts': 1, 'src/b: odd name.ts': 1, 'src/c.md': 2 });
    const names = await place.search({ pattern: 'needle (three|four)', output_mode: 'files_only' });
    assert.deepEqual(names['files'], ['src/c.md']);
  });

  test(`${tool}: files by name, newest first, hidden ones left out`, async (t) => {
    const place = openWorkplace(t, { ripgrep });
    fill(place);
    utimesSync(join(place.directory, 'src/a.ts'), 2_000_000_000, 2_000_000_000);
    const found = await place.search({ pattern: '*.ts', target: 'files' });
    assert.deepEqual(found['files'], ['src/a.ts', 'src/b: odd name.ts']);
    const first = await place.search({ pattern: '*.ts', target: 'files', limit: 1 });
    assert.deepEqual([first['truncated'], first['hint']], [true, 'Go on with offset 1.']);
  });

  test(`${tool}: a glob over folders counts them from where the search starts, with choices in it too`, async (t) => {
    const place = openWorkplace(t, { ripgrep });
    for (const name of ['a.ts', 'pkg/a.ts', 'pkg/src/a.ts', 'pkg/src/deep/a.tsx', 'pkg/src/.b.ts', 'src/a.ts'])
      place.put(name, 'needle\n');
    const filesOf = async (pattern: string, path: string) => {
      const byName = (await place.search({ pattern, target: 'files', path }))['files'];
      const args = { pattern: 'needle', file_glob: pattern, output_mode: 'files_only', path };
      const byContent = (await place.search(args))['files'];
      assert.deepEqual((byContent as string[]).toSorted(), (byName as string[]).toSorted(), pattern);
      return (byName as string[]).toSorted();
    };
    assert.deepEqual(await filesOf('src/*.ts', 'pkg'), ['pkg/src/a.ts']);
    assert.deepEqual(await filesOf('src/**', 'pkg'), ['pkg/src/a.ts', 'pkg/src/deep/a.tsx']);
    assert.deepEqual(await filesOf('src/', 'pkg'), ['pkg/src/a.ts', 'pkg/src/deep/a.tsx']);
    assert.deepEqual(await filesOf('./src/**/*.{ts,tsx}', 'pkg'), ['pkg/src/a.ts', 'pkg/src/deep/a.tsx']);
    assert.deepEqual(await filesOf('{src,pkg}/*.ts', '.'), ['pkg/a.ts', 'src/a.ts']);
    assert.deepEqual(await filesOf('*.{tsx,js}', '.'), ['pkg/src/deep/a.tsx']);
    assert.deepEqual(await filesOf('**/*.ts', '.'), ['a.ts', 'pkg/a.ts', 'pkg/src/a.ts', 'src/a.ts']);
  });

  test(`${tool}: a pattern that is no expression is an error, no match is not`, async (t) => {
    const place = openWorkplace(t, { ripgrep });
    fill(place);
    assert.match(said(await place.search({ pattern: '(' }), 'error'), /The search failed/);
    const { text: _text, outcome: _outcome, ...nothing } = await place.search({ pattern: 'nothing like it' });
    assert.deepEqual(nothing, { total_count: 0 });
    const nowhere = await place.search({ pattern: 'x', path: 'nowhere' });
    assert.match(said(nowhere, 'error'), /Path not found/);
    assert.equal(nowhere['total_count'], 0);
  });

  test(`${tool}: credential files are left out of what is found`, async (t) => {
    const place = openWorkplace(t, { ripgrep });
    place.put(join(place.userHome, '.hermes', 'auth.json'), '{"needle": 1}\n');
    place.put(join(place.userHome, '.hermes', 'notes.txt'), 'needle\n');
    const found = await place.search({
      pattern: 'needle',
      path: join(place.userHome, '.hermes'),
      output_mode: 'files_only',
    });
    assert.deepEqual(found['files'], [join(place.userHome, '.hermes', 'notes.txt')]);
    assert.match(said(found, '_omitted'), /^1 in files that hold credentials/);
    const named = await place.search({ pattern: '*', target: 'files', path: join(place.userHome, '.hermes') });
    assert.deepEqual(named['files'], [join(place.userHome, '.hermes', 'notes.txt')]);
  });

  test(`${tool}: a pattern over several lines finds nothing, and why is told`, async (t) => {
    const place = openWorkplace(t, { ripgrep });
    fill(place);
    for (const pattern of ['first\\nneedle', 'first\nneedle']) {
      const found = await place.search({ pattern });
      assert.equal(found['total_count'], 0);
      assert.match(said(found, 'warning'), /one line at a time/);
    }
    place.put(join(place.userHome, '.hermes', 'auth.json'), 'needle\n');
    const beside = await place.search({ pattern: 'needle(\\n)?', path: join(place.userHome, '.hermes') });
    assert.match(said(beside, 'warning'), /one line at a time/);
    if (!ripgrep) assert.match(said(beside, '_omitted'), /^1 in files that hold credentials/);
    place.put('slash.txt', 'a\\n\n');
    assert.equal((await place.search({ pattern: 'a\\\\n' }))['total_count'], 1);
  });

  test(`${tool}: what was found before the time was over is shown, with the reason why there is no more`, async (t) => {
    const place = openWorkplace(t, {
      ripgrep,
      otherwise: (local) => ({
        runProgram: async (argv, options) => ({ ...(await local.runProgram(argv, options)), exitCode: 124 }),
      }),
    });
    fill(place);
    const found = await place.search({ pattern: 'needle', output_mode: 'count', path: 'src' });
    assert.deepEqual(found['counts'], { 'src/a.ts': 1, 'src/b: odd name.ts': 1, 'src/c.md': 2 });
    assert.match(said(found, 'limit_reason'), /ended after 60 seconds/);
    assert.equal(found['truncated'], true);
    assert.match(said(await place.search({ pattern: 'nothing like it' }), 'error'), /longer than 60 seconds/);
  });
}

test('what git ignores and what is hidden is left out, whatever glob is asked for', async (t) => {
  const place = openWorkplace(t);
  mkdirSync(join(place.directory, '.git'));
  place.put('.gitignore', 'made.ts\nnode_modules\n');
  for (const name of ['a.ts', 'src/b.ts', 'made.ts', 'node_modules/x/c.ts', '.dot.ts', '.github/d.ts', 'odd:name.ts'])
    place.put(name, 'needle\n');
  const wanted = ['a.ts', 'odd:name.ts', 'src/b.ts'];
  for (const glob of ['*.ts', '*', '**/*.ts', '**', '!*.md']) {
    const byName = await place.search({ pattern: glob, target: 'files' });
    assert.deepEqual((byName['files'] as string[]).toSorted(), wanted, glob);
    const byContent = await place.search({ pattern: 'needle', file_glob: glob, output_mode: 'files_only' });
    assert.deepEqual((byContent['files'] as string[]).toSorted(), wanted, glob);
  }
  const anyName = await place.search({ pattern: 'needle', file_glob: '', output_mode: 'files_only' });
  assert.deepEqual((anyName['files'] as string[]).toSorted(), wanted);
  const inFolder = await place.search({ pattern: 'src/*', target: 'files' });
  assert.deepEqual(inFolder['files'], ['src/b.ts']);
  const colon = await place.search({ pattern: 'odd:*', target: 'files' });
  assert.deepEqual(colon['files'], ['odd:name.ts']);
  const named = await place.search({ pattern: '.dot*', target: 'files' });
  assert.deepEqual(named['files'], ['.dot.ts'], 'it was asked for by name');
});

test('pages go on where the last one ended, with the lines around a match', async (t) => {
  const place = openWorkplace(t);
  place.put('a.txt', Array.from({ length: 30 }, (_, n) => `${n % 3 === 0 ? 'hit' : 'miss'} ${n}\n`).join(''));
  const page = await place.search({ pattern: 'hit', limit: 2, offset: 4, context: 1 });
  const [path, ...lines] = said(page, 'matches_text').split('\n');
  assert.equal(path, 'a.txt');
  const shown = lines.map((line) => line.replace(/^ {2}\d+: /, ''));
  assert.deepEqual(
    shown.filter((line) => line.startsWith('hit')),
    ['hit 12', 'hit 15'],
  );
  assert.ok(shown.includes('miss 11') && shown.includes('miss 13'));
  assert.deepEqual([page['total_count'], page['hint']], [10, 'Go on with offset 6.']);
});

test('four lines are listed one by one, five are one text that says each path once', async (t) => {
  const place = openWorkplace(t);
  place.put('a.txt', 'hit\n'.repeat(4));
  const four = await place.search({ pattern: 'hit' });
  assert.deepEqual([Array.isArray(four['matches']), four['matches_text']], [true, undefined]);
  place.put('b.txt', 'hit\n');
  const five = await place.search({ pattern: 'hit' });
  assert.equal(five['matches'], undefined);
  assert.equal(typeof five['matches_format'], 'string');
  assert.equal(five['matches_text'], 'a.txt\n  1: hit\n  2: hit\n  3: hit\n  4: hit\nb.txt\n  1: hit');
});

test('numbers beyond what is searched for are brought back to it', async (t) => {
  const place = openWorkplace(t);
  place.put('a.txt', 'before\nhit\nafter\n');
  const found = await place.search({ pattern: 'hit', limit: 5000, offset: -1, context: 100 });
  assert.equal(found['total_count'], 1);
  assert.match(JSON.stringify(found), /before.*hit.*after/);
  assert.equal((await place.search({ pattern: 'hit', limit: 0 }))['total_count'], 1);
});

test('long lines are cut and secrets masked', async (t) => {
  const place = openWorkplace(t);
  place.put('a.txt', `needle ${'x'.repeat(900)}\nneedle API_KEY=sk-abcdefghijklmnopqrstuvwx\n`);
  const matches = (await place.search({ pattern: 'needle' }))['matches'] as { content: string }[];
  assert.equal(matches[0]?.content.length, 500);
  assert.doesNotMatch(matches[1]?.content ?? '', /abcdefghijklmnop/);
});

test('the same search is warned about the third time and refused the fourth', async (t) => {
  const place = openWorkplace(t);
  fill(place);
  const answers = [];
  for (let n = 0; n < 4; n += 1) answers.push(await place.search({ pattern: 'needle' }));
  assert.match(said(answers[2], '_warning'), /third time/);
  assert.match(said(answers[3], 'error'), /^BLOCKED:/);
  assert.equal((await place.search({ pattern: 'needle', offset: 1 }))['error'], undefined);
});

test('the grep of BusyBox, which knows no long options, finds the same', async (t) => {
  const one = 'busybox';
  const runs = (program: string) => spawnSync(one, [program, '--help']).status === 0;
  if (!runs('grep') || !runs('find')) return t.skip('busybox is not installed');
  const busybox = ['grep', 'find'];
  const place = openWorkplace(t, {
    ripgrep: false,
    otherwise: (local) => ({
      runProgram: (argv, options) =>
        local.runProgram(
          argv.flatMap((word, at) =>
            busybox.includes(word) && (at === 0 || argv[at - 1] === '-exec') ? ['busybox', word] : [word],
          ),
          options,
        ),
    }),
  });
  fill(place);
  place.put('a:1:2', 'needle five\r\n');
  place.put('.env', 'needle=secret\n');
  place.put('image.png', 'needle in a picture\n');
  const all = await place.search({ pattern: 'needle (one|five)', context: 1 });
  const byPath = (all['matches'] as { path: string }[]).toSorted((x, y) => x.path.localeCompare(y.path));
  assert.deepEqual(byPath, [
    { path: 'a:1:2', line: 1, content: 'needle five' },
    { path: 'src/a.ts', line: 1, content: 'first' },
    { path: 'src/a.ts', line: 2, content: 'needle one' },
    { path: 'src/a.ts', line: 3, content: 'last' },
  ]);
  const counts = await place.search({ pattern: 'needle', output_mode: 'count' });
  assert.deepEqual(counts['counts'], { 'a:1:2': 1, 'src/a.ts': 1, 'src/b: odd name.ts': 1, 'src/c.md': 2 });
  const globbed = await place.search({ pattern: 'needle', file_glob: '*.ts', output_mode: 'files_only' });
  assert.deepEqual((globbed['files'] as string[]).toSorted(), ['src/a.ts', 'src/b: odd name.ts']);
  assert.equal((await place.search({ pattern: 'needle', file_glob: '.env*' }))['_omitted'] !== undefined, true);
  assert.deepEqual((await place.search({ pattern: 'needle', path: '.hidden' }))['total_count'], 1);
  assert.deepEqual((await place.search({ pattern: 'needle', path: 'src/c.md' }))['total_count'], 2);
  assert.deepEqual((await place.search({ pattern: 'no such thing {}' }))['total_count'], 0);
  assert.match(String((await place.search({ pattern: '(needle' }))['error']), /The search failed: .*bad regex/);
});
