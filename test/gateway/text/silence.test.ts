/** Some answers mean that nothing is to be said. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isSilenceNarration, isSilent, maySilence } from '../../../src/gateway/text/silence.ts';

test('a token alone is silence, whatever its case, spaces and punctuation', () => {
  for (const answer of [' [silent] ', 'SILENT', 'no_reply', 'NO  REPLY.', '*[SILENT]*', '"No reply!"', '[ silent ]']) {
    assert.equal(isSilent(answer), true, answer);
  }
  for (const answer of ['Use [SILENT] …', 'silently', '', 'NOREPLY', `SILENT${'.'.repeat(80)}`, 'no reply yet']) {
    assert.equal(isSilent(answer), false, answer);
  }
});

test('a text that only tells of silence is found', () => {
  for (const answer of ['(silent)', 'No response.', '…', '...', '🔇', '*stays silent*', 'no reply needed']) {
    assert.equal(isSilenceNarration(answer), true, answer);
  }
  for (const answer of ['No response from the server yet.', 'Silence is golden.', 'ok', '']) {
    assert.equal(isSilenceNarration(answer), false, answer);
  }
});

test('what may still become a token is held back, and nothing else', () => {
  for (const token of ['[SILENT]', ' silent', 'NO_REPLY', 'no reply', '*[SILENT]*']) {
    for (let length = 0; length <= token.length; length += 1) {
      assert.equal(maySilence(token.slice(0, length)), true, token.slice(0, length));
    }
  }
  for (const text of ['Now', 'Silver', '[x]', 'NO REPLY needed, but', 'Hello', 'x'.repeat(100)]) {
    assert.equal(maySilence(text), false, text);
  }
});
