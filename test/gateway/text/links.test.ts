/** Links of an answer: the pairs of brackets are found in one pass over the text, as if each had been looked for by itself. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { linkReader } from '../../../src/gateway/text/markdown/spans.ts';

test('a link has its brackets in pairs, on one line, and may have a title', () => {
  assert.deepEqual(linkReader('[a [b]](http://x/(y) "z")!')(0), { label: 'a [b]', url: 'http://x/(y)', end: 25 });
  assert.deepEqual(linkReader('\\[a](b)')(1), { label: 'a', url: 'b', end: 7 });
  assert.equal(linkReader('[a\\](b)')(0), undefined);
  assert.equal(linkReader('[a\n](b)')(0), undefined);
  assert.equal(linkReader(`[${'a'.repeat(1000)}](b)`)(0), undefined);
});

test('every short text of brackets has the links that a look from each bracket finds', () => {
  const signs = ['[', ']', '](', ')', '\\', '\n', 'a'];
  for (let number = 0; number < signs.length ** 6; number += 1) {
    const text = Array.from(
      { length: 6 },
      (_, at) => signs[Math.floor(number / signs.length ** at) % signs.length],
    ).join('');
    const linkAt = linkReader(text);
    for (let at = text.indexOf('['); at !== -1; at = text.indexOf('[', at + 1)) {
      assert.equal(linkAt(at)?.end, endFrom(text, at), JSON.stringify([text, at]));
    }
  }
});

test('however many brackets are never closed, the text is read once', () => {
  for (const piece of ['[', '[a](', '[[](', '\\[', '[a](b "']) {
    const text = piece.repeat(1_000_000 / piece.length);
    const linkAt = linkReader(text);
    for (let at = text.indexOf('['); at !== -1; at = text.indexOf('[', at + 1)) assert.equal(linkAt(at), undefined);
  }
});

function endFrom(text: string, at: number): number | undefined {
  const label = closing(text, at);
  if (label === undefined || text[label + 1] !== '(') return undefined;
  const end = closing(text, label + 1);
  if (end === undefined || !/^<?[^\s]*>?$/.test(text.slice(label + 2, end).trim())) return undefined;
  return text.slice(label + 2, end).trim() === '' ? undefined : end + 1;
}

function closing(text: string, at: number): number | undefined {
  const [open, close] = text[at] === '[' ? '[]' : '()';
  let depth = 0;
  for (let place = at; place < text.length && text[place] !== '\n'; place += 1) {
    if (text[place] === '\\') place += 1;
    else if (text[place] === open) depth += 1;
    else if (text[place] === close) depth -= 1;
    if (depth === 0) return place;
  }
  return undefined;
}
