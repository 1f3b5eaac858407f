/** What sources on the web have in common: a status that is an error, and documents that are text. */
import { UserError } from '../../lib/errors.ts';
import { type JsonValue, parseJson } from '../../lib/json.ts';
import type { Download } from '../download.ts';
import { memberLimits } from '../members.ts';

/** The bytes of a file of a skill. Throws `UserError` unless the status is 200. */
export async function getFile(
  download: Download,
  url: string,
  signal: AbortSignal,
  maxBytes: number = memberLimits.bytesEach,
): Promise<Buffer> {
  const { status, body } = await download(url, { maxBytes, signal });
  if (status !== 200) throw statusError(url, status);
  return body;
}

export async function getJson(download: Download, url: string, signal: AbortSignal): Promise<JsonValue> {
  const { status, body } = await download(url, { maxBytes: 4 * 1024 * 1024, signal });
  if (status !== 200) throw statusError(url, status);
  const value = parseJson(body.toString('utf8'));
  if (value === undefined) throw new UserError(`${new URL(url).host} answered with something that is not JSON.`);
  return value;
}

export function statusError(url: string, status: number): UserError {
  const { host, pathname } = new URL(url);
  return new UserError(`${host}${pathname} answered with status ${status}.`, {
    hint: status === 404 ? 'Check the name.' : 'Try again later.',
  });
}

/** The last part of an address or path as a skill's name, when it can be one. */
export function slugOf(path: string): string | undefined {
  const last = path.split('/').findLast((part) => part !== '');
  return last !== undefined && /^[a-z][a-z0-9_-]{0,63}$/.test(last) ? last : undefined;
}
