/** Pictures in `data:` URLs, however they were written. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { parseDataUrl } from '../../../src/llm/protocols/data-url.ts';

test('bytes come back whole, with and without padding, wrapped, and in the alphabet of URLs', () => {
  fc.assert(
    fc.property(fc.uint8Array({ minLength: 1, maxLength: 50 }), (array) => {
      const bytes = Buffer.from(array);
      const base64 = bytes.toString('base64');
      const written = [
        base64,
        base64.replace(/=+$/, ''),
        base64.replace(/(.{7})/g, '$1\n'),
        bytes.toString('base64url'),
      ];
      for (const text of written) {
        assert.deepEqual(parseDataUrl(`data:IMAGE/PNG;name=a;base64,${text}`), { mediaType: 'image/png', base64 });
      }
    }),
  );
});

test('percent-encoded text is read, and what is broken or empty is not', () => {
  const svg = '<svg>é</svg>';
  assert.deepEqual(parseDataUrl(`data:image/svg+xml,${encodeURIComponent(svg)}`), {
    mediaType: 'image/svg+xml',
    base64: Buffer.from(svg).toString('base64'),
  });
  for (const url of [
    'data:image/png;base64,',
    'data:image/png;base64,a',
    'data:image/png;base64,***',
    'data:,x',
    'data:image/png,%zz',
    'https://host.test/a,b',
    'data:',
  ]) {
    assert.equal(parseDataUrl(url), undefined, url);
  }
});

test('data of nothing but signs of padding is broken, and seen to be at once', () => {
  assert.equal(parseDataUrl(`data:image/png;base64,${'='.repeat(2_000_000)}a`), undefined);
});
