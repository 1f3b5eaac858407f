/** Brings the program of Bitwarden into the home: one version, from its release, checked against the sums beside it. */
import { createHash } from 'node:crypto';
import { closeSync, fsyncSync, openSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { modelVariables } from '../config/model-variables.ts';
import type { Variables } from '../config/variables.ts';
import { readBytes } from '../lib/bounded.ts';
import { errorMessage } from '../lib/errors.ts';
import { type Fetch, fetchOver } from '../lib/fetch-over.ts';
import { makeDirectories } from '../lib/make-directories.ts';
import { ownBws } from './bitwarden.ts';
import { SourceFailure } from './failure.ts';

/** What the original uses too; a newer one may speak otherwise. */
const version = '2.0.0';
const releaseAddress = `https://github.com/bitwarden/sdk-sm/releases/download/bws-v${version}`;
const sumsFile = `bws-sha256-checksums-${version}.txt`;
const downloadMs = 60_000;
const maxArchiveBytes = 64 * 1024 * 1024;
const maxProgramBytes = 192 * 1024 * 1024;
const maxRedirects = 5;

export interface InstallOptions {
  readonly homePath: string;
  readonly env: Variables;
  readonly signal: AbortSignal;
  /** Default: the release at GitHub. */
  readonly address?: string;
}

/** Returns the path of the program. Throws `SourceFailure`; a program that is there stays until the new one is whole. */
export async function installBws({ homePath, env, signal, address = releaseAddress }: InstallOptions): Promise<string> {
  const limit = AbortSignal.any([signal, AbortSignal.timeout(downloadMs)]);
  const fetch = fetchOver(modelVariables(env).network);
  const archive = archiveName();
  try {
    const sums = await download(fetch, `${address}/${sumsFile}`, limit);
    const expected = sumOf(sums.toString('utf8'), archive);
    const body = await download(fetch, `${address}/${archive}`, limit);
    if (createHash('sha256').update(body).digest('hex') !== expected) {
      throw new SourceFailure('internal', `${archive} is not what its checksum says; nothing was installed`);
    }
    const target = ownBws(homePath);
    writeProgram(target, await unpack(body));
    return target;
  } catch (error) {
    if (error instanceof SourceFailure) throw error;
    if (limit.aborted) throw new SourceFailure('timeout', 'bws could not be downloaded in time');
    throw new SourceFailure('network', `bws could not be downloaded: ${errorMessage(error)}`);
  }
}

/** Releases lie behind a redirect; no header of ours travels along. */
async function download(fetch: Fetch, address: string, signal: AbortSignal): Promise<Buffer> {
  let url = address;
  for (let hop = 0; hop <= maxRedirects; hop++) {
    const response = await fetch(url, { redirect: 'manual', signal });
    const location = response.headers.get('location');
    if (response.status >= 300 && response.status < 400 && location !== null) {
      await response.body?.cancel();
      const next = new URL(location, url);
      if (next.protocol !== 'https:' && new URL(url).protocol === 'https:')
        throw new Error('it redirects to plain http');
      url = next.href;
      continue;
    }
    if (!response.ok) throw new Error(`${new URL(url).host} answered with status ${response.status}`);
    const body = await readBytes(response, maxArchiveBytes);
    if (body === undefined) throw new Error(`it is larger than ${maxArchiveBytes} bytes`);
    return body;
  }
  throw new Error('it redirects too often');
}

const architectures: Readonly<Record<string, string>> = { x64: 'x86_64', arm64: 'aarch64' };

function archiveName(): string {
  const arch = architectures[process.arch];
  const systems: Readonly<Record<string, string>> = {
    darwin: 'macos-universal',
    linux: `${arch}-unknown-linux-${isGlibc() ? 'gnu' : 'musl'}`,
    win32: `${arch}-pc-windows-msvc`,
  };
  const system = systems[process.platform];
  if (arch === undefined || system === undefined) {
    throw new SourceFailure(
      'binary_missing',
      `there is no bws for ${process.platform} on ${process.arch}`,
      'Build it (https://github.com/bitwarden/sdk-sm) and put it on PATH.',
    );
  }
  return `bws-${system}-${version}.zip`;
}

function isGlibc(): boolean {
  if (process.platform !== 'linux') return false;
  return JSON.stringify(process.report.getReport()).includes('"glibcVersionRuntime"');
}

/** Lines as sha256sum writes them. */
function sumOf(sums: string, name: string): string {
  const line = sums.split('\n').find((text) => text.trim().split(/\s+\*?/)[1] === name);
  const sum = line?.trim().split(/\s+/)[0]?.toLowerCase() ?? '';
  if (/^[\da-f]{64}$/.test(sum)) return sum;
  throw new SourceFailure('internal', `${sumsFile} has no checksum of ${name}; nothing was installed`);
}

async function unpack(archive: Buffer): Promise<Buffer> {
  const { fromBufferPromise } = await import('yauzl');
  const name = process.platform === 'win32' ? 'bws.exe' : 'bws';
  const zip = await fromBufferPromise(archive, { lazyEntries: true, strictFileNames: true, validateEntrySizes: true });
  for await (const entry of zip.eachEntry()) {
    if (entry.fileName.split('/').at(-1) !== name) continue;
    if (entry.uncompressedSize > maxProgramBytes) break;
    const chunks: Buffer[] = [];
    for await (const chunk of await zip.openReadStreamPromise(entry)) if (chunk instanceof Buffer) chunks.push(chunk);
    return Buffer.concat(chunks);
  }
  throw new SourceFailure('internal', `there is no ${name} in the release; nothing was installed`);
}

function writeProgram(target: string, program: Buffer): void {
  const draft = `${target}.${process.pid}.tmp`;
  try {
    makeDirectories(dirname(target), 0o700);
    const file = openSync(draft, 'w', 0o700);
    try {
      writeFileSync(file, program);
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
    renameSync(draft, target);
  } catch (error) {
    rmSync(draft, { force: true });
    throw new SourceFailure('internal', `${target} cannot be written: ${errorMessage(error)}`);
  }
}
