/** Renews the downloaded models.dev when it is old, by one process of a home at a time. */
import { mkdir, readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { errorCode } from '../../lib/errors.ts';
import type { Fetch } from '../../lib/fetch-over.ts';
import { withFileLock } from '../../lib/file-lock.ts';
import { parseJson } from '../../lib/json.ts';
import { getText } from './get-json.ts';
import type { ModelsDevPaths } from './models-dev-cache.ts';
import { providersIn } from './parse-models-dev.ts';

export interface RefreshOptions {
  readonly paths: ModelsDevPaths;
  readonly url: string;
  /** 0: whatever its age. */
  readonly ttlMs: number;
  /** How long a failed attempt keeps all processes of this home from the next. */
  readonly retryMs: number;
  readonly now: () => number;
  readonly signal: AbortSignal;
  readonly fetch?: Fetch | undefined;
}

const downloadMs = 15_000;
const maxDownloadBytes = 20 * 1024 * 1024;

/**
 * Downloads models.dev when the cache is older than its time to live and nobody else is at it. True when there is
 * something new to read. Throws file-system errors; a server that does not answer is no error.
 */
export async function refreshCache(options: RefreshOptions): Promise<boolean> {
  const { paths, signal } = options;
  if (await isFresh(options)) return false;
  await mkdir(paths.parts, { recursive: true });
  const lock = join(paths.parts, '.refresh.lock');
  return await withFileLock(lock, () => refreshAlone(options), { timeoutMs: 0, signal });
}

/** The other processes are turned away at the door meanwhile, or find it done. */
async function refreshAlone(options: RefreshOptions): Promise<boolean> {
  const { paths } = options;
  if (await isFresh(options)) return false;
  return (await splitWholeFile(paths, options)) || (await download(paths, options));
}

/** Another program of this home may have fetched the file a moment ago: then only the parts are missing. */
async function splitWholeFile(paths: ModelsDevPaths, { ttlMs, now, signal }: RefreshOptions): Promise<boolean> {
  const info = await statOf(paths.whole);
  if (info === undefined || info.size > maxDownloadBytes || !isYoung(info.mtimeMs, ttlMs, now)) return false;
  const written = await writeParts(paths.parts, await readFile(paths.whole, 'utf8'), signal);
  if (written) await replaceFile(stampOf(paths), '', info.mtimeMs);
  return written;
}

/** A failure is noted on disk, so that not every process of this home asks a server that is out of reach. */
async function download(paths: ModelsDevPaths, { url, now, retryMs, signal, fetch }: RefreshOptions): Promise<boolean> {
  const tried = join(paths.parts, '.tried');
  const lastTry = await statOf(tried);
  if (lastTry !== undefined && isYoung(lastTry.mtimeMs, retryMs, now)) return false;
  const text = await getText(url, { timeoutMs: downloadMs, maxBytes: maxDownloadBytes, signal, fetch });
  signal.throwIfAborted();
  if (text === undefined || !(await writeParts(paths.parts, text, signal))) {
    await replaceFile(tried, '', now());
    return false;
  }
  const time = now();
  await replaceFile(paths.whole, text, time);
  await replaceFile(stampOf(paths), '', time);
  return true;
}

/** False when the text describes no provider; nothing is written then. */
async function writeParts(directory: string, text: string, signal: AbortSignal): Promise<boolean> {
  let written = false;
  for (const [list, models] of providersIn(parseJson(text))) {
    signal.throwIfAborted();
    await replaceFile(join(directory, `${list}.json`), JSON.stringify({ models: Object.fromEntries(models) }));
    written = true;
  }
  return written;
}

/** Fresh when the whole file is young and the parts were made of it. */
async function isFresh({ paths, ttlMs, now }: RefreshOptions): Promise<boolean> {
  const whole = await statOf(paths.whole);
  if (whole === undefined || !isYoung(whole.mtimeMs, ttlMs, now)) return false;
  const stamp = await statOf(stampOf(paths));
  // Some file systems keep whole seconds only.
  return stamp !== undefined && Math.abs(stamp.mtimeMs - whole.mtimeMs) < 2000;
}

/** A time in the future says that a clock was wrong once, not that the file is young. */
function isYoung(timeMs: number, limitMs: number, now: () => number): boolean {
  return Math.abs(now() - timeMs) < limitMs;
}

/** Has the time of the whole file that the parts were made of. */
function stampOf(paths: ModelsDevPaths): string {
  return join(paths.parts, '.split');
}

async function statOf(path: string): Promise<{ readonly mtimeMs: number; readonly size: number } | undefined> {
  try {
    return await stat(path);
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes(errorCode(error) ?? '')) return undefined;
    throw error;
  }
}

/**
 * Puts a file in place in one step. Without fsync, unlike files that matter: a hundred of them would hold up a start,
 * and one that a power cut damages is fetched again.
 */
async function replaceFile(path: string, text: string, timeMs?: number): Promise<void> {
  const temporary = join(dirname(path), `.${basename(path)}.${process.pid}.tmp`);
  try {
    await writeFile(temporary, text, { mode: 0o600 });
    if (timeMs !== undefined) await utimes(temporary, timeMs / 1000, timeMs / 1000);
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
}
