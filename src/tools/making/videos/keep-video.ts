/** Brings a video that a service made to this machine. */
import { errorMessage, UserError } from '../../../lib/errors.ts';
import type { ToolServices } from '../../services.ts';
import { getOutbound } from '../../web/outbound.ts';
import { keepMade } from '../keep-made.ts';
import type { MadeVideo } from './video-provider.ts';

/** It is in memory while it is fetched. */
const maxBytes = 100 * 1024 * 1024;
const timeoutMs = 120_000;

/** Its path; its address, which holds for a while, where it cannot be fetched or is larger than 100 MiB. */
export async function keepVideo(
  { url, bytes }: Pick<MadeVideo, 'url' | 'bytes'>,
  { config, state, paths }: ToolServices,
  signal: AbortSignal,
): Promise<string> {
  if (bytes !== undefined) return await keepMade(paths.homePath, 'videos', bytes, endingOf(bytes));
  try {
    const { status, body } = await getOutbound(url, {
      accept: 'video/*',
      allowPrivate: config.security.allow_private_urls,
      proxies: state.web.proxies,
      timeoutMs,
      maxBytes,
      signal,
    });
    if (status < 200 || status > 299) throw new UserError(`it was answered with status ${status}`);
    return await keepMade(paths.homePath, 'videos', body, 'mp4');
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof UserError) return url;
    throw new UserError(`The video at ${url} could not be kept: ${errorMessage(error)}.`, { cause: error });
  }
}

/** Throws `UserError` for what is neither MP4 nor WebM. */
function endingOf(bytes: Uint8Array): 'mp4' | 'webm' {
  const start = Buffer.from(bytes.subarray(0, 12));
  if (start.toString('latin1', 4, 8) === 'ftyp') return 'mp4';
  if (start.length >= 4 && start.readUInt32BE(0) === ebml) return 'webm';
  throw new UserError('What was made is neither an MP4 nor a WebM video.');
}

/** How a WebM file begins. https://www.rfc-editor.org/rfc/rfc8794#section-11.2.1 */
const ebml = 0x1a45dfa3;
