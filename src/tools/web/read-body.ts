/** Reads the body of a web answer, unpacked, within a bound. */
import type { IncomingMessage } from 'node:http';
import { pipeline, Transform } from 'node:stream';
import { createBrotliDecompress, createGunzip } from 'node:zlib';
import { UserError } from '../../lib/errors.ts';

/** Rejects when there are more than `maxBytes`, on the wire or unpacked, and when the body breaks off. */
export async function readBody(incoming: IncomingMessage, maxBytes: number): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  try {
    if (Number(incoming.headers['content-length'] ?? 0) > maxBytes) throw tooLong(maxBytes);
    for await (const chunk of unpacked(incoming, maxBytes)) {
      if (!(chunk instanceof Uint8Array)) continue;
      size += chunk.length;
      if (size > maxBytes) throw tooLong(maxBytes);
      chunks.push(chunk);
    }
  } finally {
    incoming.destroy();
  }
  return Buffer.concat(chunks);
}

function unpacked(incoming: IncomingMessage, maxBytes: number): AsyncIterable<unknown> {
  const encoding = incoming.headers['content-encoding']?.trim().toLowerCase() ?? '';
  if (encoding === '' || encoding === 'identity') return incoming;
  const unpack = unpackers.get(encoding)?.();
  if (unpack === undefined) throw new UserError('its answer has an encoding that was not asked for');
  // The error reaches the reader through the last stream; all of them are closed with it.
  return pipeline(incoming, atMost(maxBytes), unpack, () => undefined);
}

const unpackers = new Map([
  ['gzip', createGunzip],
  ['x-gzip', createGunzip],
  ['br', createBrotliDecompress],
]);

/** Packed bytes can go on for ever without any that come out. */
function atMost(maxBytes: number): Transform {
  let size = 0;
  return new Transform({
    transform(chunk: Uint8Array, _encoding, done) {
      size += chunk.length;
      if (size > maxBytes) done(tooLong(maxBytes));
      else done(null, chunk);
    },
  });
}

function tooLong(maxBytes: number): UserError {
  return new UserError(`its answer is longer than ${maxBytes.toLocaleString('en')} bytes`);
}
