/** Judging takes no longer than the text is long: where each blank is looked at with all that follow, these take minutes to hours. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isDestroying, isReading } from '../../../src/safety/programs/databases.ts';
import { isPlainSed } from '../../../src/safety/programs/sed-script.ts';

test('a script of sed that is mostly blanks is judged at once', () => {
  for (const blank of ['\t', '\r', ' ', ';', ' ;', '\n']) {
    assert.equal(isPlainSed(`${blank.repeat(3900 / blank.length)}s/a/b/`), true, JSON.stringify(blank));
    assert.equal(isPlainSed(`1${blank.repeat(3900 / blank.length)}w file`), false, JSON.stringify(blank));
  }
  assert.equal(isPlainSed('1 , 3 ! { s/a/b/g ; /x/ , $ d } ; } p'), true);
  assert.equal(isPlainSed(' '.repeat(3900)), true);
});

test('statements with many empty lines are judged at once', () => {
  assert.equal(isReading(`select 1;${'\n'.repeat(400_000)}select 2`), true);
  assert.equal(isReading(`select 1;${'\n '.repeat(200_000)}source other.sql`), false);
  assert.equal(isReading(`select ${'copy '.repeat(50_000)}`), true);
  assert.equal(isReading(`${'copy '.repeat(50_000)}t to 'file'`), false);
});

test('comments of SQL are looked through once, and one that never ends is none', () => {
  assert.equal(isDestroying(`select 1 ${'/* '.repeat(400_000)}`), false);
  assert.equal(isDestroying(`${'/* '.repeat(400_000)} drop table t`), true);
  assert.equal(isDestroying(`${'/* drop table t */'.repeat(50_000)} select 1`), false);
  assert.equal(isDestroying('drop/**/table t'), true);
  assert.equal(isDestroying('/*/ drop table t */ -- drop table u\nselect 1'), false);
  assert.equal(isDestroying('-- /*\ndrop table t'), true);
});
