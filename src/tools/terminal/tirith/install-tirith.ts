/** Brings tirith into the home: one version, from its release, checked against its sums and, where that can be, its signature. */
import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { runProgram } from '../../../environments/local/run-program.ts';
import { searchPathOf } from '../../../environments/local/search-path.ts';
import type { Fetch } from '../../../lib/fetch-over.ts';
import { isExecutable } from '../../../lib/is-executable.ts';
import { downloadFile, sumOf, writeProgram } from '../../../lib/released-program.ts';

const version = '0.4.2';
const releaseAddress = `https://github.com/sheeki03/tirith/releases/download/v${version}`;
const sumsFile = 'checksums.txt';
/** https://github.com/sheeki03/tirith/blob/main/SECURITY.md */
const signer = `https://github.com/sheeki03/tirith/.github/workflows/release.yml@refs/tags/v${version}`;
const issuer = 'https://token.actions.githubusercontent.com';
const installMs = 120_000;
const cosignMs = 60_000;
const maxArchiveBytes = 64 * 1024 * 1024;
const maxUnpackedBytes = 256 * 1024 * 1024;
const failureMs = 24 * 3600 * 1000;

export interface TirithInstall {
  readonly homePath: string;
  readonly fetch: Fetch;
  readonly env: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
  /** Default: the release at GitHub. */
  readonly address?: string;
}

/** Rejects when it could not be installed; that is not tried again for a day, nor where there is no such program. */
export async function installTirith(options: TirithInstall): Promise<void> {
  const { homePath, signal } = options;
  const archive = archiveName();
  const marker = join(homePath, '.tirith-install-failed');
  if (archive === undefined || isFresh(marker)) return;
  try {
    const program = await fetchProgram(archive, {
      ...options,
      signal: AbortSignal.any([signal, AbortSignal.timeout(installMs)]),
    });
    writeProgram(join(homePath, 'bin', 'tirith'), program);
    rmSync(marker, { force: true });
  } catch (error) {
    // Whoever leaves meanwhile has not seen it fail.
    if (!signal.aborted) writeFileSync(marker, '');
    throw error;
  }
}

async function fetchProgram(archive: string, options: TirithInstall): Promise<Buffer> {
  const { fetch, signal, address = releaseAddress } = options;
  const bounds = { maxBytes: maxArchiveBytes, signal };
  const sums = await downloadFile(fetch, `${address}/${sumsFile}`, bounds);
  await checkSignature(sums, options);
  const expected = sumOf(sums.toString('utf8'), archive);
  if (expected === undefined) throw new Error(`${sumsFile} has no checksum of ${archive}`);
  const body = await downloadFile(fetch, `${address}/${archive}`, bounds);
  if (createHash('sha256').update(body).digest('hex') !== expected) {
    throw new Error(`${archive} is not what its checksum says`);
  }
  return await unpack(body);
}

/** Where cosign is there, it must agree. */
async function checkSignature(
  sums: Buffer,
  { fetch, env, signal, address = releaseAddress }: TirithInstall,
): Promise<void> {
  const folders = searchPathOf(env)
    .split(delimiter)
    .filter((folder) => folder.startsWith('/'));
  const cosign = folders.map((folder) => join(folder, 'cosign')).find(isExecutable);
  if (cosign === undefined) return;
  const folder = mkdtempSync(join(tmpdir(), 'hermes-tirith-'));
  try {
    const files = { sums: join(folder, sumsFile), sig: join(folder, 'sig'), pem: join(folder, 'pem') };
    writeFileSync(files.sums, sums);
    for (const kind of ['sig', 'pem'] as const) {
      const bounds = { maxBytes: maxArchiveBytes, signal };
      writeFileSync(files[kind], await downloadFile(fetch, `${address}/${sumsFile}.${kind}`, bounds));
    }
    const identity = ['--certificate-identity', signer, '--certificate-oidc-issuer', issuer];
    const signed = ['--signature', files.sig, '--certificate', files.pem];
    const { exitCode } = await runProgram(
      [cosign, 'verify-blob', ...signed, ...identity, files.sums],
      { cwd: folder, timeoutMs: cosignMs, signal, maxOutput: 10_000 },
      { ...env, HERMES_SCAN_ID: folder },
      folder,
    );
    if (exitCode !== 0) throw new Error(`the signature of ${sumsFile} is not the one of its maker`);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function archiveName(): string | undefined {
  const architectures: Readonly<Record<string, string>> = { x64: 'x86_64', arm64: 'aarch64' };
  const systems: Readonly<Record<string, string>> = { linux: 'unknown-linux-gnu', darwin: 'apple-darwin' };
  const [arch, system] = [architectures[process.arch], systems[process.platform]];
  return arch === undefined || system === undefined ? undefined : `tirith-${arch}-${system}.tar.gz`;
}

async function unpack(archive: Buffer): Promise<Buffer> {
  const plain = await promisify(gunzip)(archive, { maxOutputLength: maxUnpackedBytes });
  const { Parser } = await import('tar');
  const found = await new Promise<Buffer | undefined>((resolve, reject) => {
    const chunks: Buffer[] = [];
    let isThere = false;
    const parser = new Parser({
      strict: true,
      onReadEntry: (entry) => {
        if (entry.type === 'File' && entry.path.split('/').at(-1) === 'tirith' && !isThere) {
          isThere = true;
          entry.on('data', (chunk: Buffer) => chunks.push(chunk));
        } else entry.resume();
      },
    });
    parser.on('end', () => resolve(isThere ? Buffer.concat(chunks) : undefined));
    parser.on('error', reject);
    parser.end(plain);
  });
  if (found === undefined) throw new Error('there is no tirith in the release');
  return found;
}

function isFresh(marker: string): boolean {
  const found = statSync(marker, { throwIfNoEntry: false });
  return found !== undefined && Date.now() - found.mtimeMs < failureMs;
}
