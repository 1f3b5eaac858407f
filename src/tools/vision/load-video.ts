/** Brings a video that a model named, in the form in which it is sent on. Nothing of it is written to disk. */
import { UserError } from '../../lib/errors.ts';
import type { Source } from '../../llm/source.ts';
import type { ToolServices } from '../services.ts';
import { loadMedia } from './load-media.ts';
import { videoTypeOf } from './video-type.ts';

export interface LoadedVideo {
  /** A `data:` URL. */
  readonly url: string;
  readonly sources: readonly Source[];
}

/** 50 MiB, as it is sent: a third more than the file. */
const maxSentChars = 50 * 1024 * 1024;
const downloadSeconds = 60;

/** Throws as `loadMedia`, and `UserError` for what is no video or too long to be sent. */
export async function loadVideo(named: string, services: ToolServices, signal: AbortSignal): Promise<LoadedVideo> {
  const { bytes, name, sources } = await loadMedia(named, services, signal, downloadSeconds);
  const type = videoTypeOf(bytes);
  if (type === undefined) {
    throw new UserError(`${name} is not a video that models take: mp4, webm, mov, avi, mkv or mpeg.`);
  }
  const head = `data:${type};base64,`;
  if (head.length + Math.ceil(bytes.length / 3) * 4 > maxSentChars) {
    throw new UserError(
      `${name} has ${mib(bytes.length)} MiB; a video that is sent may have 37. Shorten or compress it.`,
    );
  }
  return { url: head + bytes.toString('base64'), sources };
}

function mib(bytes: number): string {
  return (bytes / 1024 / 1024).toFixed(1);
}
