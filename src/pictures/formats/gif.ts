/** GIF: its frames and how they move. https://www.w3.org/Graphics/GIF/spec-gif89a.txt */
import type { PlainPicture } from './plain.ts';

const extension = 0x21;
const frame = 0x2c;
const trailer = 0x3b;
const control = 0xf9;
const application = 0xff;
const moving = /^(?:NETSCAPE2\.0|ANIMEXTS1\.0)$/;

export function plainGif(bytes: Buffer): PlainPicture | undefined {
  let [width, height] = [bytes.readUInt16LE(6), bytes.readUInt16LE(8)];
  const begin = 13 + tableLength(bytes.readUInt8(10));
  const parts = [bytes.subarray(0, begin)];
  let frames = 0;
  for (let at = begin; at < bytes.length; ) {
    const kind = bytes[at];
    if (kind === trailer) break;
    if (kind === extension) {
      const end = endOfBlocks(bytes, at + 2);
      const label = bytes[at + 1];
      const name = bytes.toString('latin1', at + 3, at + 14);
      if (label === control || (label === application && moving.test(name))) parts.push(bytes.subarray(at, end));
      at = end;
    } else if (kind === frame) {
      width = Math.max(width, bytes.readUInt16LE(at + 1) + bytes.readUInt16LE(at + 5));
      height = Math.max(height, bytes.readUInt16LE(at + 3) + bytes.readUInt16LE(at + 7));
      const end = endOfBlocks(bytes, at + 10 + tableLength(bytes.readUInt8(at + 9)) + 1);
      parts.push(bytes.subarray(at, end));
      frames += 1;
      at = end;
    } else return undefined;
  }
  if (frames === 0) return undefined;
  return { bytes: Buffer.concat([...parts, Buffer.from([trailer])]), width, height, orientation: 1 };
}

/** Bytes of the colours that stand behind a header with these flags. */
function tableLength(flags: number): number {
  return (flags & 0x80) === 0 ? 0 : 3 * 2 ** ((flags & 0x07) + 1);
}

/** Behind the empty block that ends a row of them. */
function endOfBlocks(bytes: Buffer, from: number): number {
  for (let at = from; ; ) {
    const length = bytes.readUInt8(at);
    at += 1 + length;
    if (length === 0) return at;
  }
}
