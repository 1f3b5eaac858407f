/** An answer of any length and any signs is made ready in the time of its length: one process serves all chats. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { toMatrix } from '../../../src/gateway/text/formats/matrix.ts';
import { tablesToLists } from '../../../src/gateway/text/markdown/tables.ts';
import { findMedia, takeMedia } from '../../../src/gateway/text/media-marks.ts';

test('thousands of files in an answer are taken out of it', () => {
  const answer = Array.from({ length: 60_000 }, (_, index) => `file ${index}  MEDIA:/tmp/${index}.png \n`).join('');
  const { text, files } = takeMedia(findMedia(answer, '/home/me'));
  assert.equal(files.length, 60_000);
  assert.equal(text.startsWith('file 0 \nfile 1 \nfile 2'), true);
  assert.equal(text.split('\n').length, 60_000);
});

test('thousands of tables become lists', () => {
  assert.equal(tablesToLists('| a | b |\n|-|-|\n| 1 | 2 |\n\n'.repeat(100_000)), '**1**\n• b: 2\n\n'.repeat(100_000));
});

test('a table does not grow to the length of its head times its rows', () => {
  const table = `| ${'h'.repeat(50_000)} | b |\n|-|-|\n${'|1|2|\n'.repeat(50_000)}`;
  assert.equal(tablesToLists(table), table);
});

test('what nests too deep or is one word of marks is shown in Matrix as it is', () => {
  for (const signs of ['- ', '* ', '> ', '>', '> - ', '1. ', '!', '_a', '***', '**a**b', '[a](']) {
    const body = `${signs.repeat(400_000)}x]: y`;
    assert.deepEqual(toMatrix(body), { body }, signs);
  }
  assert.match(toMatrix(`${'> '.repeat(20)}deep`).formatted_body ?? '', /<blockquote>.*deep/s);
  assert.match(toMatrix(`**${'minified_'.repeat(50)}** and more`).formatted_body ?? '', /<strong>/);
});
