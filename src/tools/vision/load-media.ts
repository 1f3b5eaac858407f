/** Brings a picture or a video that a model named: from the web, a file, or out of a `data:` address. */
import { fileURLToPath } from 'node:url';
import { UserError } from '../../lib/errors.ts';
import { parseDataUrl } from '../../llm/protocols/data-url.ts';
import type { Source } from '../../llm/source.ts';
import { findFile, readFound } from '../file/file-access.ts';
import { fileSources } from '../file/file-sources.ts';
import type { ToolServices } from '../services.ts';
import { getOutbound } from '../web/outbound.ts';
import { refuseBlocked } from '../web/web-results.ts';
import { webAddress } from './judge-address.ts';

export interface LoadedMedia {
  readonly bytes: Buffer;
  /** As it is called in messages. */
  readonly name: string;
  readonly sources: readonly Source[];
}

/** 50 MiB. */
const maxMediaBytes = 50 * 1024 * 1024;

/**
 * `seconds`: how long a download may take at least. Throws `UserError` for what cannot be had, `PathDenied` for files that must not be read, and the
 * signal's reason.
 */
export async function loadMedia(
  named: string,
  services: ToolServices,
  signal: AbortSignal,
  seconds = 0,
): Promise<LoadedMedia> {
  const text = named.trim();
  if (webAddress(text) !== undefined) return await fromWeb(text, services, signal, seconds);
  if (/^data:/i.test(text)) return fromData(text);
  return await fromFile(/^file:\/\//i.test(text) ? pathOf(text) : text, services, signal);
}

async function fromWeb(
  address: string,
  services: ToolServices,
  signal: AbortSignal,
  seconds: number,
): Promise<LoadedMedia> {
  const {
    config,
    state: { web },
  } = services;
  await web.blocked.refresh?.();
  const { status, body, url } = await getOutbound(address, {
    accept: 'image/*,video/*;q=0.9',
    allowPrivate: config.security.allow_private_urls,
    proxies: web.proxies,
    refuse: refuseBlocked(services),
    timeoutMs: Math.max(config.auxiliary.vision.download_timeout, seconds) * 1000,
    maxBytes: maxMediaBytes,
    signal,
  });
  if (status < 200 || status > 299) throw new UserError(`${url.host} answered with status ${status}.`);
  return { bytes: Buffer.from(body), name: `What ${url.host} sent`, sources: [{ from: 'page', name: url.host }] };
}

function fromData(address: string): LoadedMedia {
  const data = parseDataUrl(address);
  if (data === undefined) throw new UserError('The data: address is broken.');
  return {
    bytes: Buffer.from(data.base64, 'base64'),
    name: 'It',
    sources: [{ from: 'unknown', name: 'a data: address' }],
  };
}

async function fromFile(path: string, services: ToolServices, signal: AbortSignal): Promise<LoadedMedia> {
  const target = { path, resolved: services.files.resolve(path) };
  const found = await findFile(services.files, target);
  if ('error' in found) throw new UserError(found.error);
  const read = await readFound(services.files, target, found, signal, maxMediaBytes);
  if ('error' in read) throw new UserError(`${path} has more than 50 MiB.`);
  return { bytes: Buffer.from(read.bytes), name: path, sources: await fileSources([target.resolved], services) };
}

function pathOf(address: string): string {
  try {
    return fileURLToPath(address);
  } catch (error) {
    throw new UserError(`'${address.slice(0, 200)}' names no file of this machine.`, { cause: error });
  }
}
