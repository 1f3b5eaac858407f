/** Brings the program of Bitwarden into the home: one version, from its release, checked against the sums beside it. */
import { createHash } from 'node:crypto';
import { modelVariables } from '../config/model-variables.ts';
import type { Variables } from '../config/variables.ts';
import { errorMessage } from '../lib/errors.ts';
import { fetchOver } from '../lib/fetch-over.ts';
import { downloadFile, sumOf, writeProgram } from '../lib/released-program.ts';
import { ownBws } from './bitwarden.ts';
import { SourceFailure } from './failure.ts';

/** What the original uses too; a newer one may speak otherwise. */
const version = '2.0.0';
const releaseAddress = `https://github.com/bitwarden/sdk-sm/releases/download/bws-v${version}`;
const sumsFile = `bws-sha256-checksums-${version}.txt`;
const downloadMs = 60_000;
const maxArchiveBytes = 64 * 1024 * 1024;
const maxProgramBytes = 192 * 1024 * 1024;

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
    const bounds = { maxBytes: maxArchiveBytes, signal: limit };
    const sums = await downloadFile(fetch, `${address}/${sumsFile}`, bounds);
    const expected = sumOf(sums.toString('utf8'), archive);
    if (expected === undefined) {
      throw new SourceFailure('internal', `${sumsFile} has no checksum of ${archive}; nothing was installed`);
    }
    const body = await downloadFile(fetch, `${address}/${archive}`, bounds);
    if (createHash('sha256').update(body).digest('hex') !== expected) {
      throw new SourceFailure('internal', `${archive} is not what its checksum says; nothing was installed`);
    }
    const target = ownBws(homePath);
    place(target, await unpack(body));
    return target;
  } catch (error) {
    if (error instanceof SourceFailure) throw error;
    if (limit.aborted) throw new SourceFailure('timeout', 'bws could not be downloaded in time');
    throw new SourceFailure('network', `bws could not be downloaded: ${errorMessage(error)}`);
  }
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

function place(target: string, program: Buffer): void {
  try {
    writeProgram(target, program);
  } catch (error) {
    throw new SourceFailure('internal', `${target} cannot be written: ${errorMessage(error)}`);
  }
}
