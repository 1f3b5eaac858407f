/** Short tones that tell when a recording begins and ends. */
import { wavOf } from '../wav.ts';
import { samplesPerSecond } from './sound.ts';

const toneSeconds = 0.12;
const gapSeconds = 0.06;
/** Without it the loudspeaker clicks. */
const fadeSeconds = 0.01;
const loudness = 0.3 * 32_767;

/** A WAV file of `count` tones of `hertz`. */
export function beep(hertz: number, count: number): Uint8Array {
  const tone = samplesOf(toneSeconds, (at, last) => {
    const fade = Math.min(1, at / fadeSeconds, (last - at) / fadeSeconds);
    return Math.sin(2 * Math.PI * hertz * at) * fade * loudness;
  });
  const gap = samplesOf(gapSeconds, () => 0);
  const parts = Array.from({ length: count }, (_, index) => (index === 0 ? [tone] : [gap, tone])).flat();
  return wavOf(Buffer.concat(parts), samplesPerSecond);
}

/** `sample` gets the time, and the whole time, in seconds. */
function samplesOf(seconds: number, sample: (at: number, last: number) => number): Buffer {
  const count = Math.round(seconds * samplesPerSecond);
  const samples = Buffer.alloc(count * 2);
  for (let at = 0; at < count; at += 1) {
    samples.writeInt16LE(Math.round(sample(at / samplesPerSecond, seconds)), at * 2);
  }
  return samples;
}
