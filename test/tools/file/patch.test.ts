/** `patch`, both modes. */
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import * as fc from 'fast-check';
import type { JsonObject } from '../../../src/lib/json.ts';
import { patchTool } from '../../../src/tools/file/patch.ts';
import { findMatches } from '../../../src/tools/file/fuzzy/find-matches.ts';
import { foldTypography, keepTypography } from '../../../src/tools/file/fuzzy/typography.ts';
import { replaceText } from '../../../src/tools/file/replace-text.ts';
import { applyHunks } from '../../../src/tools/file/v4a/apply-hunks.ts';
import { parsePatch } from '../../../src/tools/file/v4a/parse-patch.ts';
import { writeFileTool } from '../../../src/tools/file/write-file.ts';
import { callTool, openWorkplace, said } from './support.ts';

const source = `function greet(name) {
    if (name) {
        console.log("hello " + name);
    }
    return "done";
}
`;

const strategyCases: readonly (readonly [strategy: string, content: string, pattern: string])[] = [
  ['exact', source, 'console.log("hello " + name);'],
  ['line_trimmed', source, '  if (name) {\n  console.log("hello " + name);  '],
  ['whitespace_normalized', 'let  a =\t1;\nlet b = 2;\n', 'let a = 1;\nlet b = 2;'],
  ['escape_normalized', 'one\n\ttwo\n', 'one\\n\\ttwo'],
  ['typography_folded', 'say “hello” – now…\n', 'say "hello" - now...'],
  ['block_anchor', 'start {\n  alpha();\n  beta();\n}\nend\n', 'start {\n  alpha();\n  betta(1);\n}'],
  ['context_aware', 'a = 1\nb = 2\nc = 3\nd = 4\n', 'a = 10\nb = 2\nc = 3\nd = 44'],
];

for (const [strategy, content, pattern] of strategyCases) {
  test(`a text is found by ${strategy}`, () => {
    const match = findMatches(content, pattern);
    assert.equal(match?.strategy, strategy);
    assert.equal(match?.ranges.length, 1);
  });
}

test('typographic characters that the new text does not change stay in the file', async (t) => {
  const place = openWorkplace(t);
  place.put('a.md', 'He said “yes” – and… left.\nShe’s here.\n');
  const old_string = 'He said "yes" - and... left.\nShe\'s here.';
  await place.patch({
    path: 'a.md',
    old_string,
    new_string: 'He said "yes" - and... ran away.\nShe\'s not here.',
  });
  assert.equal(place.get('a.md'), 'He said “yes” – and… ran away.\nShe’s not here.\n');
});

test('whatever is typed for a typographic text, only what differs once folded is changed', () => {
  const text = fc.string({
    unit: fc.constantFrom('“', '”', '"', '’', "'", '–', '-', '…', '.', '\u00A0', ' ', 'a', '\n'),
  });
  fc.assert(
    fc.property(text, text, (found, replacement) => {
      const kept = keepTypography(found, replacement);
      assert.equal(foldTypography(kept), foldTypography(replacement));
      assert.equal(keepTypography(found, foldTypography(found)), found);
    }),
  );
});

test('wrong indentation is forgiven, and the new text takes the indentation of the file', async (t) => {
  const place = openWorkplace(t);
  place.put('a.js', source);
  const answer = await place.patch({
    path: 'a.js',
    old_string: 'if (name) {\n    console.log("hello " + name);\n}',
    new_string: 'if (name) {\n    console.log("hi " + name);\n}',
  });
  assert.equal(answer['success'], true);
  assert.equal(place.get('a.js'), source.replace('hello', 'hi'));
  assert.match(said(answer, 'diff'), /^--- a\/a\.js\n\+\+\+ b\/a\.js\n@@/);
  assert.deepEqual(answer['files_modified'], [join(place.directory, 'a.js')]);
  assert.deepEqual(answer['lint'], { status: 'ok', output: '' });
});

test('a block is known by its first and last line when its middle is half alike, of several when it is mostly so', () => {
  const by = (content: string): string | undefined => findMatches(content, 'begin\nabcdefghij\nend')?.strategy;
  const block = (middle: string): string => `begin\n${middle}\nend\n`;
  assert.equal(by(block('abcdefxxxx')), 'block_anchor');
  assert.notEqual(by(block('abcdxxxxxx')), 'block_anchor');
  assert.notEqual(by(block('abcdefxxxx') + block('zzzzzzzzzz')), 'block_anchor');
  assert.equal(by(block('abcdefgxxx') + block('zzzzzzzzzz')), 'block_anchor');
});

test('quotes that were escaped once too often are told, and a typed tab becomes one where the file has tabs', async (t) => {
  const place = openWorkplace(t);
  place.put('a.txt', "say('it');\nrest  of it\n");
  const escaped = await place.patch({
    path: 'a.txt',
    old_string: "say(\\'it\\');\nrest of it",
    new_string: "say(\\'that\\');\nrest of it",
  });
  assert.match(said(escaped, 'error'), /hold \\' where a\.txt has the quote alone/);
  assert.equal(place.get('a.txt'), "say('it');\nrest  of it\n");
  place.put('b.txt', 'if x:\n\tone  two\n');
  const tabbed = await place.patch({ path: 'b.txt', old_string: 'one two', new_string: 'one\\tthree' });
  assert.equal(tabbed['success'], true, tabbed.text);
  assert.equal(place.get('b.txt'), 'if x:\n\tone\tthree\n');
});

test('several places need a decision, and replace_all makes it', async (t) => {
  const place = openWorkplace(t);
  place.put('a.txt', 'x = 1\ny\nx = 1\n');
  const unclear = await place.patch({ path: 'a.txt', old_string: 'x = 1', new_string: 'x = 2' });
  assert.match(said(unclear, 'error'), /^Found 2 matches for old_string\./);
  const all = await place.patch({ path: 'a.txt', old_string: 'x = 1', new_string: 'x = 2', replace_all: 'true' });
  assert.equal(all['success'], true);
  assert.equal(place.get('a.txt'), 'x = 2\ny\nx = 2\n');
});

test('what cannot be done is said: nothing found, nothing to find, nothing to change', async (t) => {
  const place = openWorkplace(t);
  place.put('a.txt', 'hello\n');
  const miss = await place.patch({ path: 'a.txt', old_string: 'entirely different', new_string: 'x' });
  assert.equal(miss['success'], false);
  assert.match(said(miss, '_hint'), /read_file.*search_files/);
  assert.match(said(await place.patch({ path: 'a.txt', old_string: '', new_string: 'x' }), 'error'), /empty/);
  assert.match(said(await place.patch({ path: 'a.txt', old_string: 'a', new_string: 'a' }), 'error'), /identical/);
  assert.match(said(await place.patch({ mode: 'patch' }), 'error'), /needs the argument patch/);
  assert.equal(place.get('a.txt'), 'hello\n');
});

test('line ends and a missing last newline stay as they are', async (t) => {
  const place = openWorkplace(t);
  place.put('dos.txt', 'one\r\ntwo\r\nthree');
  await place.patch({ path: 'dos.txt', old_string: 'one\ntwo', new_string: 'one\n1.5\ntwo' });
  assert.equal(place.get('dos.txt'), 'one\r\n1.5\r\ntwo\r\nthree');
});

test('an exact and unique text is replaced as String.replace does', () => {
  fc.assert(
    fc.property(fc.string(), fc.string({ minLength: 1 }), fc.string(), fc.string(), (before, old, after, fresh) => {
      const clean = (text: string): string => text.replaceAll('\r', '');
      const [b, o, a, f] = [clean(before), clean(old), clean(after), clean(fresh)];
      const content = b + o + a;
      fc.pre(o !== '' && o !== f && content.indexOf(o) === content.lastIndexOf(o) && !content.startsWith('\uFEFF'));
      const result = replaceText(content, o, f, false);
      assert.ok(result.kind === 'replaced');
      assert.equal(
        result.text,
        content.replace(o, () => f),
      );
    }),
  );
});

test('lines with mangled white space are found where they stand', () => {
  const word = fc.stringMatching(/^[a-z]{3,8}$/);
  fc.assert(
    fc.property(fc.uniqueArray(word, { minLength: 6, maxLength: 20 }), fc.integer({ min: 0, max: 3 }), (words, at) => {
      const content = words.map((line) => `    ${line} = value;`).join('\n');
      const wanted = words.slice(at, at + 3);
      const match = findMatches(content, wanted.map((line) => `\t${line} = value; `).join('\n'));
      assert.equal(match?.ranges.length, 1);
      const range = match?.ranges[0];
      assert.equal(content.slice(range?.start, range?.end), wanted.map((line) => `    ${line} = value;`).join('\n'));
    }),
  );
});

test('a patch adds, updates, moves and deletes; with one part that cannot be done nothing is', async (t) => {
  const place = openWorkplace(t);
  place.put('update.txt', 'alpha\nbeta\ngamma\n');
  place.put('other.txt', 'one\n');
  place.put('gone.txt', 'bye\n');
  place.put('old-name.txt', 'moved\n');
  const patch = (more: string) => `*** Begin Patch
*** Update File: update.txt
@@ alpha @@
 alpha
-beta
+BETA
 gamma
*** Add File: made/new.txt
+first
+second
*** Delete File: gone.txt
*** Move File: old-name.txt -> new-name.txt
${more}*** End Patch`;
  const bad =
    '*** Update File: other.txt\n@@ @@\n-not there\n+never\n*** Delete File: never-was.txt\n*** Add File: ../up.txt\n+x\n*** Add File: b.json\n+{\n';
  const refused = await place.patch({ mode: 'patch', patch: patch(bad) });
  assert.equal(refused['success'], false);
  assert.match(said(refused, '_hint'), /read_file/);
  const error = said(refused, 'error');
  assert.match(error, /^Patch validation failed \(no files were modified\):\n- other\.txt: hunk 1/);
  assert.match(
    error,
    /never-was\.txt: there is no such file[^]*up\.txt: a path in a patch must not hold '\.\.'[^]*fails \.json syntax/,
  );
  assert.equal(place.get('update.txt'), 'alpha\nbeta\ngamma\n');
  assert.ok(existsSync(join(place.directory, 'gone.txt')) && !existsSync(join(place.directory, 'made')));
  const answer = await place.patch({ mode: 'patch', patch: patch('') });
  const inWork = (...names: string[]) => names.map((name) => join(place.directory, name));
  assert.equal(answer['success'], true);
  assert.deepEqual(
    answer['files_modified'],
    inWork('update.txt', 'made/new.txt', 'gone.txt', 'old-name.txt', 'new-name.txt'),
  );
  assert.deepEqual(answer['files_created'], ['made/new.txt', 'new-name.txt']);
  assert.deepEqual(answer['files_deleted'], ['gone.txt', 'old-name.txt']);
  assert.equal(place.get('update.txt'), 'alpha\nBETA\ngamma\n');
  assert.equal(place.get('made/new.txt'), 'first\nsecond\n');
  assert.ok(!existsSync(join(place.directory, 'gone.txt')));
  assert.equal(place.get('new-name.txt'), 'moved\n');
});

test('steps of a patch build on each other', async (t) => {
  const place = openWorkplace(t);
  place.put('a.txt', 'one\n');
  const patch = '*** Move File: a.txt -> b.txt\n*** Update File: b.txt\n@@\n-one\n+two\n*** Add File: a.txt\n+new\n';
  const answer = await place.patch({ mode: 'patch', patch });
  assert.equal(answer['success'], true, said(answer, 'error'));
  assert.deepEqual([place.get('a.txt'), place.get('b.txt')], ['new\n', 'two\n']);
});

test('hunks reach every line of a long file, and lines without a home go after their hint or to the end', () => {
  const text = Array.from({ length: 5000 }, (_, n) => `line ${n}\n`).join('');
  const update = (patch: string): string => {
    const operations = parsePatch(`*** Update File: a\n${patch}`);
    assert.ok(!('problem' in operations) && operations[0]?.kind === 'update');
    const result = applyHunks(text, operations[0].hunks);
    return typeof result === 'string' ? result : result.problem;
  };
  assert.equal(update('@@ @@\n line 4997\n-line 4998\n+LINE\n'), text.replace('line 4998\n', 'LINE\n'));
  assert.equal(update('@@ line 4000 @@\n+inserted\n'), text.replace('line 4000\n', 'line 4000\ninserted\n'));
  assert.equal(update('@@ @@\n+last\n'), `${text}last\n`);
  assert.equal(update('@@ @@\n-line 2500\n'), text.replace('line 2500\n', ''));
});

test('a call says which files it is to change, also when its patch cannot be carried out', (t) => {
  const { services, directory, userHome } = openWorkplace(t);
  const edits = (args: JsonObject) => {
    const prepared = patchTool.prepare(args);
    return 'problem' in prepared ? undefined : prepared.edits(services);
  };
  const inWork = (path: string) => ({ path, resolved: join(directory, path) });
  assert.deepEqual(edits({ path: 'a.txt', old_string: 'x', new_string: 'y' }), [inWork('a.txt')]);
  const patch =
    '*** Begin Patch\r\n***update file: a b.txt \r\n*** Move File: old->x -> ~/new\n*** Add File: c\n+*** Delete File: no';
  assert.deepEqual(edits({ mode: 'patch', patch }), [
    inWork('a b.txt'),
    inWork('old->x'),
    { path: '~/new', resolved: join(userHome, 'new') },
    inWork('c'),
  ]);
  assert.deepEqual(edits({ mode: 'patch', path: 'a.txt' }), []);
});

test('the parser takes any text without throwing', () => {
  const piece = fc.constantFrom(
    '*** Begin Patch',
    '*** Update File: a',
    '*** Move File: a',
    '@@',
    '@@ x @@',
    '-a',
    '+b',
    ' c',
    '',
  );
  fc.assert(fc.property(fc.array(fc.oneof(piece, fc.string())), (parts) => void parsePatch(parts.join('\n'))));
});

test('a move may neither take a guarded file nor put one in its place', async (t) => {
  const place = openWorkplace(t);
  place.put('a.txt', 'x\n');
  const answer = await place.patch({ mode: 'patch', patch: `*** Move File: a.txt -> ${place.userHome}/.hermes/.env` });
  assert.match(said(answer, 'error'), /Write denied:/);
  assert.ok(existsSync(join(place.directory, 'a.txt')));
});

test('a large file is searched in bearable time', () => {
  const content = Array.from({ length: 25_000 }, (_, n) => `    const value${n} = compute(${n});`).join('\n');
  const pattern = Array.from({ length: 50 }, (_, n) => `const value${n + 20_000} = compute(${n + 20_000});`).join('\n');
  assert.equal(findMatches(content, pattern)?.ranges.length, 1);
});

test('a text that is not found is a failure, with a hint', async (t) => {
  const place = openWorkplace(t);
  place.put('a.txt', 'one\n');
  const { outcome, text } = await place.patch({ path: 'a.txt', old_string: 'two', new_string: 'x' });
  assert.deepEqual([outcome.isError, outcome.details], [true, undefined]);
  assert.match(
    text,
    /^\{"success":false,"error":"Could not find a match for old_string in the file","_hint":"Read .*"\}$/,
  );
});

test('a text that is not found is shown what is most like it, numbered and without secrets', async (t) => {
  const place = openWorkplace(t);
  const filler = Array.from({ length: 30 }, (_, n) => `  filler line number ${n}`);
  const secret = 'sk-ant-api03-abcdefghijklmnopqrstuvwxyz0123456789';
  place.put(
    'a.ts',
    [...filler, 'function total(rows) {', `  // ${secret}`, '  return rows.length;', ...filler].join('\n'),
  );
  const miss = await place.patch({
    path: 'a.ts',
    old_string: 'function sumTotal(entries) {\n  let sum = 0;',
    new_string: 'x',
  });
  const error = said(miss, 'error');
  assert.match(
    error,
    /^Could not find a match for old_string in the file\n\n.*:\n29\|.*\n30\|.*\n31\| function total\(rows\) \{\n32\|/,
  );
  assert.ok(!error.includes(secret));
  assert.equal(miss['_hint'], undefined);
});

test('from the third miss in a row in a file on the hint says to stop varying; a patch that fits begins anew', async (t) => {
  const place = openWorkplace(t);
  place.put('a.txt', 'one\n');
  place.put('b.txt', 'one\n');
  const miss = async (path: string): Promise<string> =>
    said(await place.patch({ path, old_string: 'entirely different', new_string: 'x' }), '_hint');
  assert.doesNotMatch(`${await miss('a.txt')}${await miss('a.txt')}`, /Stop/);
  assert.match(await miss('a.txt'), /miss 3 in a row in a\.txt\. Stop varying/);
  assert.doesNotMatch(await miss('b.txt'), /Stop/);
  await place.patch({ path: 'a.txt', old_string: 'one', new_string: 'two' });
  assert.doesNotMatch(await miss('a.txt'), /Stop/);
});

test('an edit shows its diff, and names the file by its absolute path', async (t) => {
  const place = openWorkplace(t);
  place.put('a.txt', 'one\n');
  const edits = [
    { tool: patchTool, args: { path: 'a.txt', old_string: 'one', new_string: 'two' } },
    { tool: writeFileTool, args: { path: 'a.txt', content: 'three\n' } },
  ];
  for (const { tool, args } of edits) {
    const { outcome } = await callTool(tool, args, place.services);
    assert.deepEqual(outcome.details?.changedFiles, [join(place.directory, 'a.txt')]);
    const prepared = tool.prepare(args);
    assert.ok('render' in prepared);
    const [block] = prepared.render(outcome).blocks ?? [];
    assert.equal(block?.type, 'diff');
    assert.match(block?.text ?? '', /^--- a\/a\.txt\n\+\+\+ b\/a\.txt\n@@/);
  }
});
