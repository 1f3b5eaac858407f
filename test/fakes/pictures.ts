/** Pictures for tests: small, large, hostile, and with what cameras write beside them. */
import { crc32, deflateSync } from 'node:zlib';

/** Red from the left, green from above; `noise` makes it hard to compress. `before` stands behind the header. */
export function makePng(
  width: number,
  height: number,
  { noise = false, alpha = false, before = [] }: { noise?: boolean; alpha?: boolean; before?: readonly Buffer[] } = {},
): Buffer {
  const channels = alpha ? 4 : 3;
  const rows = Buffer.alloc((width * channels + 1) * height);
  let seed = 1;
  for (let y = 0, at = 0; y < height; y++) {
    rows[at++] = 0;
    for (let x = 0; x < width; x++) {
      seed = (seed * 1_103_515_245 + 12_345) & 0x7fffffff;
      rows[at++] = noise ? seed >> 16 : Math.floor((255 * x) / width);
      rows[at++] = noise ? seed >> 8 : Math.floor((255 * y) / height);
      rows[at++] = 0;
      if (alpha) rows[at++] = 0;
    }
  }
  return Buffer.concat([
    pngHead(width, height, alpha),
    ...before,
    pngChunk('IDAT', deflateSync(rows, { level: 1 })),
    pngChunk('IEND', Buffer.alloc(0)),
  ]);
}

/** The header alone claims a size. */
export function pngHead(width: number, height: number, alpha = false): Buffer {
  const header = Buffer.from([0, 0, 0, 0, 0, 0, 0, 0, 8, alpha ? 6 : 2, 0, 0, 0]);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  return Buffer.concat([Buffer.from('89504e470d0a1a0a', 'hex'), pngChunk('IHDR', header)]);
}

export function pngChunk(name: string, data: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(name, 'latin1'), data]);
  const chunk = Buffer.concat([Buffer.alloc(4), named, Buffer.alloc(4)]);
  chunk.writeUInt32BE(data.length, 0);
  chunk.writeUInt32BE(crc32(named), chunk.length - 4);
  return chunk;
}

/** EXIF as cameras write it: how they were held, and a text. */
export function exif(orientation: number, text = 'SECRET PLACE'): Buffer {
  const ifd = Buffer.from('4d4d002a00000008000101120003000000010000000000000000', 'hex');
  ifd.writeUInt16BE(orientation, 18);
  return Buffer.concat([ifd, Buffer.from(text)]);
}

/** A JPEG with segments put behind its first two bytes. */
export function withSegments(
  jpeg: Uint8Array,
  ...segments: readonly (readonly [marker: number, data: Buffer])[]
): Buffer {
  const made = segments.map(([marker, data]) => {
    const head = Buffer.from([0xff, marker, 0, 0]);
    head.writeUInt16BE(data.length + 2, 2);
    return Buffer.concat([head, data]);
  });
  return Buffer.concat([jpeg.subarray(0, 2), ...made, jpeg.subarray(2)]);
}
