/** An answer says which files, pictures and voice go with it, and its text is what is left. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import * as fc from 'fast-check';
import * as z from 'zod';
import { findMedia, takeMedia } from '../../../src/gateway/text/media-marks.ts';

const read = (name: string): unknown =>
  JSON.parse(readFileSync(new URL(`../golden/${name}.json`, import.meta.url), 'utf8'));
const tags = z
  .object({
    media_tags: z.record(
      z.string(),
      z.object({ files: z.array(z.tuple([z.string(), z.boolean()])), text: z.string() }),
    ),
  })
  .parse(read('media-tags')).media_tags;
const links = z
  .object({
    image_links: z.record(
      z.string(),
      z.object({ images: z.array(z.tuple([z.string(), z.string()])), text: z.string() }),
    ),
  })
  .parse(read('image-links')).image_links;

/** Where we go another way than the original, and why. */
const otherTags: Record<string, { files: string[]; text: string; why: string }> = {
  'two MEDIA:/x/a.png MEDIA:/x/b.ogg': {
    files: ['/x/a.png', '/x/b.ogg'],
    text: 'two',
    why: 'two marks are two files, not one path with a mark in its middle',
  },
};
const otherLinks: Record<string, { images: [string, string][]; text: string; why: string }> = {
  '`![a](https://e.org/i.png)`': {
    images: [],
    text: '`![a](https://e.org/i.png)`',
    why: 'what is shown as code is not meant',
  },
};

const media = (answer: string, ...deliverable: string[]) =>
  takeMedia(findMedia(answer, '$HOME'), ({ path }) => deliverable.includes(path));

for (const [answer, theirs] of Object.entries(tags)) {
  test(`marks of files are read as the original reads them: ${JSON.stringify(answer)}`, () => {
    const { files, text, asVoice } = media(answer);
    const ours = otherTags[answer];
    assert.deepEqual(files, ours?.files ?? theirs.files.map(([path]) => path));
    assert.equal(text, ours?.text ?? theirs.text);
    assert.equal(
      asVoice,
      theirs.files.some(([, voice]) => voice),
    );
  });
}

for (const [answer, theirs] of Object.entries(links)) {
  test(`pictures are found as the original finds them: ${JSON.stringify(answer)}`, () => {
    const { pictures, text } = media(answer);
    const ours = otherLinks[answer];
    assert.deepEqual(
      pictures.map(({ url, alt }) => [url, alt]),
      ours?.images ?? theirs.images,
    );
    assert.equal(text, ours?.text ?? theirs.text);
  });
}

test('a mark with an unknown ending and a path without a mark count only where there is such a file', () => {
  for (const answer of ['Here: MEDIA:/x/model.xyz', 'Here: /x/a.png, as wanted.', 'Here: MEDIA:/x/Makefile.']) {
    assert.equal(media(answer).text, answer);
    assert.deepEqual(media(answer).files, []);
  }
  assert.deepEqual(media('Here: MEDIA:/x/model.xyz.', '/x/model.xyz').files, ['/x/model.xyz']);
  assert.deepEqual(media('Saved to ~/a.csv and /x/b.pdf.', '$HOME/a.csv').files, ['$HOME/a.csv']);
  assert.equal(media('Saved to ~/a.csv and /x/b.pdf.', '$HOME/a.csv').text, 'Saved to and /x/b.pdf.');
});

test('paths in addresses, in code and in words are no files', () => {
  const all = ['/a.png', '/x/a.png', '/e.org/a.png', '//e.org/a.png'];
  for (const answer of ['https://e.org/a.png', 'file:///x/a.png', '`/x/a.png`', '```\n/x/a.png\n```', 'and/or/a.png']) {
    assert.deepEqual(media(answer, ...all).files, [], answer);
  }
});

test('a mark on a line of its own leaves no line behind, and marks keep their order', () => {
  const answer = 'First.\n\nMEDIA:/x/b.png\n\nThen:\n- one\nMEDIA:/x/a.pdf\n- two\n\n![c](https://e.org/c.png)';
  const { text, files, pictures } = media(answer);
  assert.equal(text, 'First.\n\nThen:\n- one\n- two');
  assert.deepEqual(files, ['/x/b.png', '/x/a.pdf']);
  assert.deepEqual(pictures, [{ url: 'https://e.org/c.png', alt: 'c' }]);
});

test('paths may be in quotes or backticks of their own', () => {
  for (const path of ['"/x/a b.png"', "'/x/a b.png'", '`/x/a b.png`', String.raw`"C:\x\a b.png"`]) {
    const { text, files } = media(`MEDIA:${path} done`);
    assert.deepEqual([text, files], ['done', [path.slice(1, -1)]]);
  }
});

test('pictures are sent as files where the answer asks for it, and the same file once', () => {
  const { asDocument, asVoice, files } = media('[[as_document]]\nMEDIA:/x/a.png\nMEDIA:/x/a.png');
  assert.deepEqual([asDocument, asVoice, files], [true, false, ['/x/a.png']]);
});

test('an answer without marks is not touched, and code never is', () => {
  const pieces = fc.constantFrom(
    'MEDIA:',
    '/x/a.png',
    ' ',
    '\n',
    '`',
    '```\n',
    '[[as_document]]',
    '![a](',
    ')',
    'x',
    '"',
  );
  fc.assert(
    fc.property(fc.array(pieces, { maxLength: 20 }), (list) => {
      const answer = list.join('');
      const found = findMedia(answer, '/home/u');
      const { text, files, pictures } = takeMedia(found);
      if (files.length + pictures.length + found.switches.length === 0) assert.equal(text, answer);
      for (const code of answer.match(/^```\n[^`]*\n```$/gm) ?? []) assert.ok(text.includes(code.trim()));
    }),
    { numRuns: 1000 },
  );
});

test('hostile answers take no time that grows with their square', () => {
  for (const piece of ['MEDIA:/', '![', '[(', '`', '/x/', '<img src="', '~~~\n']) {
    const answer = piece.repeat(20_000);
    assert.ok(takeMedia(findMedia(answer, '/home/u')).text.length <= answer.length);
  }
});
