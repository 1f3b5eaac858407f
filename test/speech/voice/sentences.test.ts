/** What of an answer is spoken, sentence by sentence, while it is written. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { array, assert as check, integer, property } from 'fast-check';
import { isPhantom } from '../../../src/speech/voice/phantoms.ts';
import { Sentences } from '../../../src/speech/voice/sentences.ts';

function spoken(...pieces: readonly string[]): string[] {
  const sentences = new Sentences();
  return [...pieces.flatMap((piece) => sentences.add(piece)), ...sentences.end()];
}

test('a sentence is spoken as soon as it has ended, and a short one with the next', () => {
  const sentences = new Sentences();
  assert.deepEqual(sentences.add('Yes. It costs 3.50 euros in the shop'), []);
  assert.deepEqual(sentences.add('. And'), ['Yes. It costs 3.50 euros in the shop.']);
  assert.deepEqual(sentences.add(' more.'), []);
  assert.deepEqual(sentences.end(), ['And more.']);
  assert.deepEqual(spoken('はい、わかりました。これは二十文字よりも長い文です。次'), [
    'はい、わかりました。これは二十文字よりも長い文です。',
    '次',
  ]);
});

test('Markdown, code, addresses and thoughts are not spoken', () => {
  const answer = [
    '<think>Should I greet? Certainly. Yes, I think so.</think># The plan for today\n\n',
    'First **read** [the page](https://example.org/a) about it.\n```js\nlet secret = 1;\n\n// A comment. And more.\n```\n',
    'Then run `npm test` and look at the result.\n- one thing to be done here\n- another one to be done\n',
  ];
  const whole = [
    'The plan for today',
    'First read the page about it.',
    'Then run npm test and look at the result.',
    'one thing to be done here',
    'another one to be done',
  ];
  assert.deepEqual(
    spoken(...answer)
      .join('\n')
      .split(/\n+/),
    whole,
  );
  assert.deepEqual(spoken('---\n', '```\nonly code\n```\n', '**'), []);
  assert.deepEqual(spoken('Look at this: \n```\nnever closed. It goes on. And on.'), ['Look at this:']);
});

test('it does not matter in which pieces an answer comes', () => {
  const answer =
    'Here is a first sentence. <think>Hidden. Very hidden.</think>And this is the second one! Is a < b here?\n\n```sh\nrm. -rf. x\n```\n\nDone with all of it; `code` too. Bye now, and thank you.';
  check(
    property(array(integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 10 }), (cuts) => {
      const pieces: string[] = [];
      for (let at = 0, cut = 0; at < answer.length; cut += 1) {
        const size = cuts[cut % cuts.length] ?? 1;
        pieces.push(answer.slice(at, at + size));
        at += size;
      }
      assert.deepEqual(spoken(...pieces), spoken(answer));
    }),
    { numRuns: 100 },
  );
  assert.match(
    spoken(answer).join(' '),
    /^Here is a first sentence\. And this is the second one! Is a < b here\?\s+Done/,
  );
});

test('what was written for nothing is not spoken, and what has no end is cut', () => {
  const sentences = new Sentences();
  sentences.add('This was said and is void');
  sentences.reset();
  assert.deepEqual(sentences.end(), []);
  const long = spoken('word '.repeat(5000));
  assert.ok(long.length >= 25 && long.every(({ length }) => length <= 1000));
});

test('a model that writes nothing but new lines and signs does not hold up what listens to it', () => {
  const endless = Array.from({ length: 100_000 }, (_, index) => (index % 3 === 0 ? '*\n' : '\n\n'));
  assert.deepEqual(spoken('Yes.', ...endless, 'And that is all there is.').join(' '), 'Yes. And that is all there is.');
});

test('phrases that Whisper hears in silence are none, but an answer is', () => {
  for (const phantom of [
    '',
    ' ',
    '...',
    'Thank you.',
    'Thank you. Thank you. Bye.',
    'you',
    'Thanks for watching!',
    'Untertitel von Stephanie Geiges',
    'ご視聴ありがとうございました。',
    'Ok. Ok. Okay.',
  ])
    assert.equal(isPhantom(phantom), true, phantom);
  for (const said of ['OK.', 'Thank you for the list', 'You are right.', 'Bye the way', 'Nein.'])
    assert.equal(isPhantom(said), false, said);
});
