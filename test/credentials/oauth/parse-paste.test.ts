/** Whatever a person pastes: a code is found where there is one, and nothing is thrown. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { parsePaste } from '../../../src/credentials/oauth/parse-paste.ts';

/** Codes and states as services make them. */
const token = fc.stringMatching(/^[\w.~+/-]{8,80}$/);
const space = fc.constantFrom('', ' ', '\n', '\t', '  \r\n');

test('code and state come out of every form as they went in', () => {
  fc.assert(
    fc.property(token, token, space, fc.constantFrom('', '"', "'"), (code, state, around, quote) => {
      const query = new URLSearchParams({ code, state }).toString();
      for (const text of [
        `http://127.0.0.1:56121/callback?${query}`,
        `https://page.test/done?x=1&${query}#top`,
        `https://page.test/done#${query}`,
        `?${query}`,
        query,
        `${code}#${state}`,
      ]) {
        const found = parsePaste(`${around}${quote}${text}${quote}${around}`);
        assert.deepEqual([found?.parameters.get('code'), found?.parameters.get('state')], [code, state], text);
        assert.equal(found?.bare, false, text);
      }
    }),
  );
});

test('a code alone is taken as it is, and known to carry no state', () => {
  fc.assert(
    fc.property(token, space, fc.constantFrom('', '=', '=='), (code, around, padding) => {
      const found = parsePaste(`${around}${code}${padding}${around}`);
      assert.equal(found?.parameters.get('code'), `${code}${padding}`);
      assert.equal(found?.bare, true);
    }),
  );
});

test('an address that a terminal has broken into lines is put together again', () => {
  const found = parsePaste('http://127.0.0.1:56121/callback?code=abc\ndef&sta\n te=xyz');
  assert.deepEqual([found?.parameters.get('code'), found?.parameters.get('state')], ['abcdef', 'xyz']);
});

test('an address without a code is never a bare code', () => {
  fc.assert(
    fc.property(fc.webUrl({ withQueryParameters: true, withFragments: true }), (url) => {
      const found = parsePaste(url);
      assert.ok(found === undefined || !found.bare);
    }),
  );
});

test('any text at all gives a code of one line, or nothing', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 300 }), (text) => {
      const found = parsePaste(text);
      if (found === undefined) return;
      assert.ok(found.parameters.get('code') || found.parameters.get('error'));
      if (found.bare) assert.doesNotMatch(found.parameters.get('code') ?? '', /\s/);
    }),
  );
});

test('an error of the provider is found, and text without end is not read', () => {
  assert.equal(
    parsePaste('http://127.0.0.1/callback?error=access_denied&state=s')?.parameters.get('error'),
    'access_denied',
  );
  assert.equal(parsePaste('x'.repeat(20_000)), undefined);
});
