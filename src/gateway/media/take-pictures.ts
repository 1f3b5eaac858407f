/** Brings the pictures on the web that an answer shows to this machine, so that they are sent like its own files. */
import { basename } from 'node:path';
import { errorMessage, UserError } from '../../lib/errors.ts';
import type { Log } from '../../lib/log.ts';
import { pictureType } from '../../pictures/kind.ts';
import { getOutbound, type OutboundOptions } from '../../tools/web/outbound.ts';
import type { ReplyFile } from '../delivery/reply-details.ts';
import { findMedia, type PictureMark, takeMedia } from '../text/media-marks.ts';
import type { MediaCache } from './media-cache.ts';

export interface TakePicturesOptions extends Pick<OutboundOptions, 'proxies' | 'allowPrivate' | 'hosts' | 'signal'> {
  readonly cache: Pick<MediaCache, 'store'>;
  readonly log: Log;
}

export interface TakenPictures {
  /** Without the marks of those that were brought; the others stay as the links that they are. */
  readonly text: string;
  readonly files: readonly ReplyFile[];
}

const maxPictures = 10;
/** As much as Telegram takes for a photo. */
const maxBytes = 10 * 1024 * 1024;
const eachMs = 15_000;
/** An answer waits no longer for its pictures. */
const allMs = 30_000;
const maxCaption = 200;

/** Never rejects. One after the other, so that no more than one of them is in memory. */
export async function takePictures(answer: string, options: TakePicturesOptions): Promise<TakenPictures> {
  const found = findMedia(answer, '');
  const signal = AbortSignal.any([options.signal, AbortSignal.timeout(allMs)]);
  const files = new Map<string, ReplyFile>();
  for (const picture of firstOfEach(found.pictures)) {
    const file = await bring(picture, found.asDocument, { ...options, signal });
    if (file !== undefined) files.set(picture.url, file);
  }
  if (files.size === 0) return { text: answer, files: [] };
  const pictures = found.pictures.filter(({ url }) => files.has(url));
  // What says how files are sent is needed for those that the answer names.
  const switches = found.files.length === 0 ? found.switches : [];
  const { text } = takeMedia({ ...found, files: [], switches, pictures });
  return { text, files: [...files.values()] };
}

function firstOfEach(pictures: readonly PictureMark[]): readonly PictureMark[] {
  return [...new Map(pictures.toReversed().map((picture) => [picture.url, picture])).values()]
    .toReversed()
    .slice(0, maxPictures);
}

async function bring(
  { url, alt }: PictureMark,
  asDocument: boolean,
  { cache, log, ...options }: TakePicturesOptions,
): Promise<ReplyFile | undefined> {
  try {
    const { status, body } = await getOutbound(url, { ...options, accept: 'image/*', timeoutMs: eachMs, maxBytes });
    if (status !== 200) throw new UserError(`it was answered with status ${status}`);
    const type = pictureType(Buffer.from(body));
    if (type === undefined) throw new UserError('it is not a picture that can be shown');
    const attachment = { kind: 'image', reference: url, mime_type: type } as const;
    const { path } = await cache.store(attachment, once(body), options.signal);
    const kind = asDocument ? 'document' : type === 'image/gif' ? 'animation' : 'image';
    const caption = alt.trim().slice(0, maxCaption).toWellFormed();
    return { kind, path, name: basename(path), ...(caption === '' ? {} : { caption }) };
  } catch (error) {
    log.info(`a picture of an answer stays a link: ${errorMessage(error)}`);
    return undefined;
  }
}

async function* once(body: Uint8Array): AsyncGenerator<Uint8Array> {
  yield await Promise.resolve(body);
}
