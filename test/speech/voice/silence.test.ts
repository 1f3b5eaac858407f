/** When somebody who speaks is done. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { array, assert as check, integer, property, tuple } from 'fast-check';
import { frameBytes, type Heard, hear, nothingHeard } from '../../../src/speech/voice/silence.ts';
import { bytesPerSecond, loudnessOf } from '../../../src/speech/voice/sound.ts';
import { silence, tone } from './sounds.ts';

const usual = { threshold: 200, silenceSeconds: 3, maxSeconds: 120 };

function heardIn(sound: Buffer, settings = usual): Heard {
  return hear(nothingHeard, sound, settings);
}

const seconds = ({ frames }: Heard): number => (frames * frameBytes) / bytesPerSecond;

test('silence behind speech ends a recording, and speech that goes on does not', () => {
  const done = heardIn(Buffer.concat([silence(2), tone(1), silence(2.5), tone(1), silence(5)]));
  assert.deepEqual([done.verdict, done.spoken], ['done', true]);
  assert.ok(Math.abs(seconds(done) - 9.5) < 0.1, `${seconds(done)}`);
  assert.equal(heardIn(Buffer.concat([tone(1), silence(2.9)])).verdict, 'goes on');
});

test('what is shorter than 0.3 seconds is no speech, neither before nor behind it', () => {
  const cough = heardIn(Buffer.concat([silence(1), tone(0.28), silence(1)]));
  assert.deepEqual([cough.verdict, cough.spoken], ['goes on', false]);
  const door = heardIn(Buffer.concat([tone(1), silence(2), tone(0.1), silence(0.9), tone(0.1), silence(5)]));
  assert.ok(Math.abs(seconds(door) - 4.1) < 0.4, `${seconds(door)}`);
});

test('short pauses between syllables belong to speech', () => {
  const syllables = Array.from({ length: 4 }, () => [tone(0.1), silence(0.2)]).flat();
  assert.equal(heardIn(Buffer.concat(syllables)).spoken, true);
  const apart = Array.from({ length: 8 }, () => [tone(0.1), silence(0.4)]).flat();
  assert.equal(heardIn(Buffer.concat(apart)).spoken, false);
});

test('who says nothing for 15 seconds is not waited for, and no recording is longer than it may be', () => {
  const nothing = heardIn(silence(20));
  assert.deepEqual([nothing.verdict, seconds(nothing)], ['nothing', 15]);
  const full = heardIn(tone(4), { ...usual, maxSeconds: 3 });
  assert.deepEqual([full.verdict, seconds(full)], ['full', 3]);
  assert.equal(heardIn(tone(1, 250)).spoken, false);
  assert.equal(heardIn(tone(1, 250), { ...usual, threshold: 100 }).spoken, true);
});

test('the loudness of a tone is its amplitude by the root of two', () => {
  assert.ok(Math.abs(loudnessOf(tone(1)) - 8000 / Math.SQRT2) < 5);
  assert.equal(loudnessOf(Buffer.alloc(1)), 0);
});

/** Parts of sound: how long in frames, and how loud. */
const parts = array(tuple(integer({ min: 1, max: 60 }), integer({ min: 0, max: 2000 })), {
  minLength: 1,
  maxLength: 12,
});
const short = { threshold: 200, silenceSeconds: 0.5, maxSeconds: 6 };

function soundOf(drawn: readonly (readonly [number, number])[]): Buffer {
  return Buffer.concat(
    drawn.map(([frames, loudness]) => {
      const part = Buffer.alloc(frames * frameBytes);
      for (let at = 0; at < part.length; at += 2) part.writeInt16LE(at % 4 === 0 ? loudness : -loudness, at);
      return part;
    }),
  );
}

test('it does not matter in which pieces sound comes', () => {
  check(
    property(parts, array(integer({ min: 1, max: 5000 }), { minLength: 1, maxLength: 8 }), (drawn, cuts) => {
      const sound = soundOf(drawn);
      let heard = nothingHeard;
      for (let at = 0, cut = 0; at < sound.length; cut += 1) {
        const size = cuts[cut % cuts.length] ?? 1;
        heard = hear(heard, sound.subarray(at, at + size), short);
        at += size;
      }
      assert.deepEqual(heard, heardIn(sound, short));
    }),
    { numRuns: 100 },
  );
});

test('a verdict is never taken back, comes in time, and says only what was heard', () => {
  check(
    property(parts, parts, (before, after) => {
      const first = heardIn(soundOf(before), short);
      const then = hear(first, soundOf(after), short);
      if (first.verdict !== 'goes on') assert.deepEqual(then, first);
      assert.ok(seconds(then) <= short.maxSeconds);
      if (then.verdict === 'done') assert.ok(then.spoken && then.quiet * 0.02 >= short.silenceSeconds);
      if (then.spoken) assert.ok(then.loudest > short.threshold);
    }),
    { numRuns: 100 },
  );
});
