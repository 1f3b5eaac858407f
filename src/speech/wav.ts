/** Puts a head before bare samples, so that players know what they are. http://soundfile.sapp.org/doc/WaveFormat/ */

const headBytes = 44;
const bytesPerSample = 2;

/** `samples`: 16 bits each, the lower byte first, in one channel. */
export function wavOf(samples: Uint8Array, samplesPerSecond: number): Uint8Array {
  const head = Buffer.alloc(headBytes);
  head.write('RIFF', 0, 'latin1');
  head.writeUInt32LE(headBytes - 8 + samples.length, 4);
  head.write('WAVEfmt ', 8, 'latin1');
  head.writeUInt32LE(16, 16);
  head.writeUInt16LE(1, 20);
  head.writeUInt16LE(1, 22);
  head.writeUInt32LE(samplesPerSecond, 24);
  head.writeUInt32LE(samplesPerSecond * bytesPerSample, 28);
  head.writeUInt16LE(bytesPerSample, 32);
  head.writeUInt16LE(bytesPerSample * 8, 34);
  head.write('data', 36, 'latin1');
  head.writeUInt32LE(samples.length, 40);
  return Buffer.concat([head, samples]);
}
