/** The bytes of an answer become the text they were meant to be. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { decodePage, kindOf } from '../../../src/tools/web/decode-page.ts';

function decoded(type: string | undefined, body: string | Uint8Array): string {
  const bytes = Buffer.from(body);
  const kind = kindOf(type, bytes);
  assert.equal(kind, 'html');
  return decodePage(type, bytes, 'html');
}

test('text is decoded by mark, header, the word of the page, and else by what it looks like', () => {
  const latin = Buffer.from('<p>Gr\xfc\xdfe</p>', 'latin1');
  const wide = Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from('<p>Grüße</p>', 'utf16le')]);
  const meta = (charset: string) => `<html><head><meta charset="${charset}"></head>`;
  for (const [type, body] of [
    ['text/html; charset=ISO-8859-1', latin],
    ['text/html; Charset="latin1"', latin],
    ['text/html', latin],
    ['text/html; charset=nonsense', latin],
    ['text/html', Buffer.concat([Buffer.from(meta('windows-1252')), latin])],
    ['text/html', '<p>Grüße</p>'],
    ['text/html', `${meta('utf-16')}<p>Grüße</p>`],
    ['text/html; charset=latin1', '\ufeff<p>Grüße</p>'],
    ['text/html', wide],
    ['text/html; charset=utf-16le', wide.subarray(2)],
  ] as const)
    assert.equal(
      decoded(type, body).replace(/^<html>.*<\/head>/, ''),
      '<p>Grüße</p>',
      `${type} ${Buffer.from(body).toString('latin1')}`,
    );
  const japanese = Buffer.from([0x3c, 0x70, 0x3e, 0x93, 0xfa, 0x96, 0x7b]);
  assert.equal(decoded('text/html; charset=Shift_JIS', japanese), '<p>日本');
});

test('what has no type, or only a general one, is judged by its bytes', () => {
  for (const type of [undefined, '', 'application/octet-stream']) {
    assert.equal(kindOf(type, Buffer.from(' <!-- x --> <!DOCTYPE html><p>x')), 'html');
    assert.equal(kindOf(type, Buffer.from('a < b')), 'text');
    assert.equal(kindOf(type, Buffer.from([1, 0, 2])), 'binary');
  }
});

test('any bytes of any type have a kind, and those that are text a text', () => {
  const type = fc.oneof(
    fc.constantFrom('text/html', 'text/plain', 'text/html; charset=utf-16', 'text/plain; charset="', undefined),
    fc.string(),
  );
  fc.assert(
    fc.property(type, fc.uint8Array({ maxLength: 300 }), (type, bytes) => {
      const kind = kindOf(type, bytes);
      if (kind === 'html' || kind === 'text') assert.ok(decodePage(type, bytes, kind).isWellFormed());
    }),
  );
});
