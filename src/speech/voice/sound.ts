/** The bare sound that is recorded: 16-bit samples, the lower byte first, in one channel. */

/** What every recogniser takes. */
export const samplesPerSecond = 16_000;
export const bytesPerSecond = samplesPerSecond * 2;

/** No sound is louder. */
export const loudest = 32_768;

/** The loudness of whole samples as the root of their mean square: 0 to 32768; 0 for none. */
export function loudnessOf(sound: Buffer): number {
  const count = Math.floor(sound.length / 2);
  if (count === 0) return 0;
  let sum = 0;
  for (let at = 0; at < count; at += 1) sum += sound.readInt16LE(at * 2) ** 2;
  return Math.sqrt(sum / count);
}
