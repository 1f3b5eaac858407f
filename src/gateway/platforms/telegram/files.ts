/** Files to and from Telegram. */
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { extname } from 'node:path';
import { errorCode, errorMessage } from '../../../lib/errors.ts';
import type { Albums, FileTransfer, OutgoingFile } from '../../platform/adapter.ts';
import type { Attachment } from '../../platform/message-event.ts';
import type { NotSent, SendResult, Sent } from '../../platform/send-result.ts';
import { attachment as attached, attachmentOf, type TelegramApi, type Upload } from './api.ts';
import { ApiError } from './errors.ts';
import type { target } from './places.ts';
import type { TelegramSettings } from './settings.ts';
import { marked, quiet, quoting, sentOf } from './markup.ts';
import { delivering, quotedIn } from './texts.ts';
import * as wire from './wire.ts';

export type FileSettings = Pick<TelegramSettings, 'notifications' | 'local_mode'>;

const MiB = 1024 * 1024;
/** https://core.telegram.org/bots/api#sending-files and #using-a-local-bot-api-server */
const limits = { photo: 10 * MiB, upload: 50 * MiB, download: 20 * MiB, local: 2000 * MiB };
const maxCaption = 1024;
/** https://core.telegram.org/bots/api#sendmediagroup */
const maxAlbum = 10;

/** What Telegram can play or show of each kind; everything else is a document there. */
const shown: Readonly<Record<Exclude<OutgoingFile['kind'], 'document'>, RegExp>> = {
  image: /^\.(?:png|jpe?g|webp|bmp)$/,
  animation: /^\.(?:gif|mp4)$/,
  voice: /^\.(?:ogg|opus|oga|mp3|m4a)$/,
  audio: /^\.(?:mp3|m4a)$/,
  video: /^\.(?:mp4|mov|m4v)$/,
};

export class Files implements FileTransfer {
  readonly albums: Albums = { most: maxAlbum, send: (files, signal) => this.#sendAlbum(files, signal) };
  readonly #api: TelegramApi;
  readonly #settings: FileSettings;

  constructor(api: TelegramApi, settings: FileSettings) {
    this.#api = api;
    this.#settings = settings;
  }

  async send(file: OutgoingFile, signal: AbortSignal): Promise<SendResult> {
    const upload = await this.#open(file);
    if ('ok' in upload) return upload;
    const attempt = async (plain: boolean): Promise<SendResult> =>
      await delivering(file.to, async (place) => await this.#upload(file, upload, place, plain, signal));
    const result = await attempt(false);
    return !result.ok && result.kind === 'bad_format' ? await attempt(true) : result;
  }

  async fetch({ reference, size }: Attachment, signal: AbortSignal): Promise<AsyncIterable<Uint8Array>> {
    const most = this.#settings.local_mode ? limits.local : limits.download;
    if (size !== undefined && size > most) throw tooLarge(most);
    const { file_path: path } = await this.#locate(reference, signal);
    if (path === undefined) throw new Error('Telegram does not have the file any more.');
    // A server of one's own on this machine gives the place on the disk.
    if (this.#settings.local_mode && path.startsWith('/')) return fromDisk(path, signal);
    return await this.#api.download(path, signal);
  }

  async #sendAlbum(files: readonly OutgoingFile[], signal: AbortSignal): Promise<SendResult> {
    const [first] = files;
    if (first === undefined) return { ok: true, messageId: null };
    const opened = await Promise.all(files.map((file) => this.#open(file)));
    const uploads: Upload[] = [];
    for (const one of opened) {
      if ('ok' in one) return one;
      uploads.push(one);
    }
    const size = uploads.reduce((sum, upload) => sum + upload.size, 0);
    if (size > (this.#settings.local_mode ? limits.local : limits.upload))
      return { ok: false, kind: 'unsupported', error: 'The pictures are too large for one message of Telegram.' };
    const { to, replyTo, notify } = first;
    const attempt = async (plain: boolean): Promise<SendResult> =>
      await delivering(to, async (place) => {
        const media = files.map(({ caption = '' }, index) => ({
          type: 'photo' as const,
          media: attachmentOf(index),
          ...captioned(caption, plain),
        }));
        const rest = { ...quiet(notify, this.#settings), ...quoting(quotedIn(place, to, replyTo)) };
        const args = { ...place, media, ...rest };
        const sent = await this.#api.call('sendMediaGroup', args, wire.sentTogether, { signal, upload: uploads });
        return { ok: true, messageId: String(sent.at(-1)?.message_id) };
      });
    const result = await attempt(false);
    return !result.ok && result.kind === 'bad_format' ? await attempt(true) : result;
  }

  async #locate(fileId: string, signal: AbortSignal): Promise<{ readonly file_path?: string | undefined }> {
    try {
      return await this.#api.call('getFile', { file_id: fileId }, wire.fileInfo, { signal });
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof ApiError && /too big/i.test(error.message)) throw tooLarge(limits.download);
      throw new Error(`The file could not be fetched from Telegram: ${errorMessage(error)}.`, { cause: error });
    }
  }

  async #open({ path, name, kind }: OutgoingFile): Promise<Upload | NotSent> {
    // A photo is made smaller by Telegram itself, wherever the server is.
    const most = kind === 'image' ? limits.photo : this.#settings.local_mode ? limits.local : limits.upload;
    const found = await stat(path).catch(() => undefined);
    if (found?.isFile() !== true) return { ok: false, kind: 'unknown', error: `The file ${name} is not there.` };
    if (kind !== 'document' && !shown[kind].test(extname(path).toLowerCase()))
      return { ok: false, kind: 'unsupported', error: `Telegram does not show ${name} as ${kind}.` };
    if (found.size === 0) return { ok: false, kind: 'unsupported', error: `The file ${name} is empty.` };
    if (found.size <= most) return { path, name, size: found.size };
    return {
      ok: false,
      kind: 'unsupported',
      error: `${name} is larger than the ${most / MiB} MiB that Telegram takes.`,
    };
  }

  async #upload(
    { to, kind, path, caption = '', replyTo, notify }: OutgoingFile,
    upload: Upload,
    place: ReturnType<typeof target>,
    plain: boolean,
    signal: AbortSignal,
  ): Promise<Sent> {
    const rest = {
      ...place,
      ...captioned(caption, plain),
      ...quiet(notify, this.#settings),
      ...quoting(quotedIn(place, to, replyTo)),
    };
    const options = { signal, upload };
    switch (kind) {
      case 'image':
        return sentOf(await this.#api.call('sendPhoto', { ...rest, photo: attached }, wire.sent, options));
      case 'animation':
        return sentOf(await this.#api.call('sendAnimation', { ...rest, animation: attached }, wire.sent, options));
      case 'video':
        return sentOf(
          await this.#api.call('sendVideo', { ...rest, video: attached, supports_streaming: true }, wire.sent, options),
        );
      case 'document':
        return sentOf(await this.#api.call('sendDocument', { ...rest, document: attached }, wire.sent, options));
      case 'voice':
      case 'audio':
        // A bubble for what was recorded; music has a title and a player.
        return kind === 'voice' && /^\.(?:ogg|opus|oga)$/.test(extname(path).toLowerCase())
          ? sentOf(await this.#api.call('sendVoice', { ...rest, voice: attached }, wire.sent, options))
          : sentOf(await this.#api.call('sendAudio', { ...rest, audio: attached }, wire.sent, options));
    }
  }
}

function captioned(caption: string, plain: boolean): { caption?: string; parse_mode?: 'MarkdownV2' } {
  if (caption === '') return {};
  if (caption.length > maxCaption) throw new ApiError(400, 'the caption is too long');
  const { text, parse_mode } = marked(caption, plain);
  return parse_mode === undefined ? { caption: text } : { caption: text, parse_mode };
}

/** Such a server keeps the files of a bot in a folder that is named by its token, and errors of files name the whole path. */
async function* fromDisk(path: string, signal: AbortSignal): AsyncGenerator<Uint8Array> {
  try {
    for await (const chunk of createReadStream(path, { signal })) yield Buffer.from(chunk);
  } catch (error) {
    signal.throwIfAborted();
    const message = `The file of the Bot API server cannot be read on this machine (${errorCode(error) ?? 'unknown'}); without local_mode it is fetched over the network.`;
    // oxlint-disable-next-line preserve-caught-error -- the cause names the path, and with it the token
    throw new Error(message);
  }
}

function tooLarge(most: number): Error {
  return new Error(`The file is larger than the ${most / MiB} MiB that Telegram gives to bots.`);
}
