/** PNG: the chunks that say what the pixels are. https://www.w3.org/TR/png-3/ */
import type { PlainPicture } from './plain.ts';
import { orientationOf } from './orientation.ts';

const signatureLength = 8;
const kept: ReadonlySet<string> = new Set(
  'IHDR PLTE tRNS gAMA cHRM sRGB sBIT bKGD hIST pHYs sPLT IDAT IEND'.split(' '),
);

/** A moving PNG becomes the still one that it shows without its frames. */
export function plainPng(bytes: Buffer): PlainPicture | undefined {
  if (bytes.toString('latin1', 12, 16) !== 'IHDR') return undefined;
  const size = { width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) };
  const parts = [bytes.subarray(0, signatureLength)];
  let orientation = 1;
  for (let at = signatureLength; at < bytes.length; ) {
    const length = bytes.readUInt32BE(at);
    const name = bytes.toString('latin1', at + 4, at + 8);
    const end = at + 12 + length;
    if (end > bytes.length) return undefined;
    if (name === 'eXIf') orientation = orientationOf(bytes.subarray(at + 8, end - 4));
    if (kept.has(name)) parts.push(bytes.subarray(at, end));
    if (name === 'IEND') return { bytes: Buffer.concat(parts), ...size, orientation };
    at = end;
  }
  return undefined;
}
