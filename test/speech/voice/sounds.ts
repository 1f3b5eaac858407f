/** Bare sound for tests: tones and silence. */
import { samplesPerSecond } from '../../../src/speech/voice/sound.ts';

/** `amplitude` of a tone of 440 Hz; its loudness is that by the root of two. */
export function tone(seconds: number, amplitude = 8000): Buffer {
  const count = Math.round(seconds * samplesPerSecond);
  const samples = Buffer.alloc(count * 2);
  for (let at = 0; at < count; at += 1) {
    samples.writeInt16LE(Math.round(amplitude * Math.sin((2 * Math.PI * 440 * at) / samplesPerSecond)), at * 2);
  }
  return samples;
}

export function silence(seconds: number): Buffer {
  return Buffer.alloc(Math.round(seconds * samplesPerSecond) * 2);
}
