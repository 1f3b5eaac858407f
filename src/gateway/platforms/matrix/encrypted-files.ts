/** Files of encrypted rooms: AES in counter mode, and a hash of what lies on the server. https://spec.matrix.org/latest/client-server-api/#sending-encrypted-attachments */
import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { Transform, type Readable } from 'node:stream';
import type { EncryptedFile } from './wire.ts';

/** Encrypts while it is read; `finish` tells what is needed to read it, once everything was. */
export function encryptFile(path: string): {
  readonly open: () => Readable;
  readonly finish: (url: string) => EncryptedFile & Record<string, unknown>;
} {
  const key = randomBytes(32);
  // The lower half counts.
  const iv = Buffer.concat([randomBytes(8), Buffer.alloc(8)]);
  let digest = '';
  return {
    open() {
      const hash = createHash('sha256');
      const hashing = new Transform({
        transform(chunk: Buffer, _encoding, done) {
          hash.update(chunk);
          done(undefined, chunk);
        },
        flush(done) {
          digest = unpadded(hash.digest('base64'));
          done();
        },
      });
      const file = createReadStream(path);
      const cipher = createCipheriv('aes-256-ctr', key, iv);
      file.on('error', (error) => hashing.destroy(error));
      return file.pipe(cipher).pipe(hashing);
    },
    finish: (url) => ({
      url,
      v: 'v2',
      key: { kty: 'oct', alg: 'A256CTR', ext: true, k: key.toString('base64url'), key_ops: ['encrypt', 'decrypt'] },
      iv: unpadded(iv.toString('base64')),
      hashes: { sha256: digest },
    }),
  };
}

/** Fails at the end when the bytes are not those that were sent. */
export async function* decryptFile(
  bytes: AsyncIterable<Uint8Array>,
  { key, iv, hashes }: EncryptedFile,
): AsyncGenerator<Uint8Array> {
  const [secret, start] = [Buffer.from(key.k, 'base64url'), Buffer.from(iv, 'base64')];
  if (secret.length !== 32 || start.length !== 16) throw new Error('The file cannot be decrypted: its key is damaged.');
  const hash = createHash('sha256');
  const decipher = createDecipheriv('aes-256-ctr', secret, start);
  for await (const chunk of bytes) {
    hash.update(chunk);
    yield decipher.update(chunk);
  }
  yield decipher.final();
  if (unpadded(hash.digest('base64')) !== unpadded(hashes.sha256))
    throw new Error('The file was changed on its way, and is not used.');
}

function unpadded(base64: string): string {
  return base64.replace(/(?<!=)=+$/, '');
}
