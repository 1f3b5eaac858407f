/** Files to and from Matrix. */
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { extname } from 'node:path';
import { parseJson } from '../../../lib/json.ts';
import type { FileTransfer, OutgoingFile } from '../../platform/adapter.ts';
import type { Attachment } from '../../platform/message-event.ts';
import type { SendResult } from '../../platform/send-result.ts';
import * as z from 'zod';
import type { MatrixApi } from './api.ts';
import { decryptFile, encryptFile } from './encrypted-files.ts';
import { NotSendable } from './errors.ts';
import { delivering, type Sender } from './sender.ts';
import { marked, relationOf } from './texts.ts';
import { encryptedFile } from './wire.ts';

const reference = z.union([encryptedFile, z.object({ url: z.string() })]);

const types: Readonly<Record<OutgoingFile['kind'], string>> = {
  image: 'm.image',
  animation: 'm.image',
  voice: 'm.audio',
  audio: 'm.audio',
  video: 'm.video',
  document: 'm.file',
};

/** Programs show what they know; anything else is a file to keep. */
const mimeTypes: Readonly<Record<string, string>> = {
  '.png': 'image/png',
  '.jpg': 'image/jpeg',
  '.jpeg': 'image/jpeg',
  '.gif': 'image/gif',
  '.webp': 'image/webp',
  '.ogg': 'audio/ogg',
  '.opus': 'audio/ogg',
  '.mp3': 'audio/mpeg',
  '.m4a': 'audio/mp4',
  '.wav': 'audio/wav',
  '.mp4': 'video/mp4',
  '.webm': 'video/webm',
  '.mov': 'video/quicktime',
  '.pdf': 'application/pdf',
  '.txt': 'text/plain',
};

export class Files implements FileTransfer {
  readonly #api: MatrixApi;
  readonly #sender: Sender;
  readonly #maxBytes: number;

  constructor(api: MatrixApi, sender: Sender, maxBytes: number) {
    this.#api = api;
    this.#sender = sender;
    this.#maxBytes = maxBytes;
  }

  async send(file: OutgoingFile, signal: AbortSignal): Promise<SendResult> {
    return await delivering(async () => {
      const size = await this.#sizeOf(file);
      const mimeType = mimeTypes[extname(file.path).toLowerCase()] ?? 'application/octet-stream';
      const place = (await this.#sender.encrypts(file.to.chatId, signal))
        ? await this.#uploadEncrypted(file, size, signal)
        : {
            url: await this.#api.upload(
              { open: () => createReadStream(file.path), size, name: file.name, mimeType },
              signal,
            ),
          };
      const { to, kind, name, caption = '', replyTo } = file;
      const content = {
        msgtype: types[kind],
        ...(caption === '' ? { body: name } : marked(caption, false)),
        filename: name,
        info: { mimetype: mimeType, size },
        ...place,
        ...(kind === 'voice' ? { 'org.matrix.msc3245.voice': {} } : {}),
        'm.mentions': {},
        ...relationOf(to, replyTo),
      };
      return await this.#sender.put(to.chatId, 'm.room.message', content, file.idempotencyKey, signal);
    });
  }

  async fetch({ reference: given, size }: Attachment, signal: AbortSignal): Promise<AsyncIterable<Uint8Array>> {
    if (size !== undefined && size > this.#maxBytes) throw this.#tooLarge();
    const { data: found } = reference.safeParse(parseJson(given));
    if (found === undefined) throw new Error('The file cannot be fetched: its address is damaged.');
    const bytes = this.#bounded(await this.#api.download(found.url, signal));
    return 'key' in found ? decryptFile(bytes, found) : bytes;
  }

  async #uploadEncrypted({ path }: OutgoingFile, size: number, signal: AbortSignal): Promise<object> {
    const { open, finish } = encryptFile(path);
    // Neither name nor kind is told to the server.
    const url = await this.#api.upload({ open, size, name: 'file', mimeType: 'application/octet-stream' }, signal);
    return { file: finish(url) };
  }

  async #sizeOf({ path, name }: OutgoingFile): Promise<number> {
    const found = await stat(path).catch(() => undefined);
    if (found?.isFile() !== true) throw new NotSendable('unknown', `The file ${name} is not there.`);
    if (found.size === 0) throw new NotSendable('unsupported', `The file ${name} is empty.`);
    if (found.size > this.#maxBytes)
      throw new NotSendable('unsupported', `${name} is larger than ${this.#maxBytes} bytes.`);
    return found.size;
  }

  async *#bounded(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    let size = 0;
    for await (const chunk of bytes) {
      size += chunk.length;
      if (size > this.#maxBytes) throw this.#tooLarge();
      yield chunk;
    }
  }

  #tooLarge(): Error {
    return new Error(`The file is larger than ${this.#maxBytes} bytes (MATRIX_MAX_MEDIA_BYTES).`);
  }
}
