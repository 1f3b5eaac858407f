/** Files that go to another host and come from there, below `.hermes` in the user's directory. */
import { readFile, stat } from 'node:fs/promises';
import type { RemotePlace } from './remote-place.ts';
import { quote } from './script-text.ts';

/** What tells whether a file changed. */
export interface FileLook {
  /** Bytes. */
  readonly size: number;
  /** When it was changed, since 1970. */
  readonly seconds: number;
}

export interface LocalFile extends FileLook {
  readonly local: string;
  /** Only its owner may read it there. */
  readonly isSecret: boolean;
}

/** A path below `.hermes`, and the file that goes there. */
export type Transfer = readonly [path: string, file: LocalFile];

const transferLimitMs = 10 * 60_000;
const root = '"$HOME/.hermes"';

/** What is in some folders there; nothing where that cannot be asked. */
export async function listThere(place: RemotePlace, folders: readonly string[]): Promise<Map<string, FileLook>> {
  if (folders.length === 0) return new Map();
  const names = folders.map(quote).join(' ');
  const { output } = await place.work(
    `cd ${root} && { find ${names} -type f -exec stat -c '%s %Y %n' '{}' + | base64 >&187; }; true`,
  );
  const lines = Buffer.from(output.toString('latin1'), 'base64').toString('utf8').split('\n');
  return new Map(
    lines.flatMap((line) => {
      const [, size, seconds, path] = /^(\d+) (\d+) (.+)$/.exec(line) ?? [];
      return path === undefined ? [] : [[path, { size: Number(size), seconds: Number(seconds) }] as const];
    }),
  );
}

/** Makes parents; times and the right to execute are kept. */
export async function sendFiles(place: RemotePlace, files: readonly Transfer[]): Promise<void> {
  const blocks: Buffer[] = [];
  for (const file of files) blocks.push(...(await archiveEntry(file)));
  blocks.push(Buffer.alloc(1024));
  const { status } = await place.work(`umask 077; mkdir -p ${root} && cd ${root} && tar -xof - || exit 46`, {
    stdin: Buffer.concat(blocks),
    timeoutMs: transferLimitMs,
  });
  if (status !== 0) throw new Error(`the archive could not be unpacked there (exit code ${status}); it needs tar`);
}

export async function removeThere(place: RemotePlace, paths: readonly string[]): Promise<void> {
  const list = Buffer.from(paths.map((path) => `${path}\0`).join(''));
  const { status } = await place.work(`cd ${root} && xargs -0 rm -f --`, { stdin: list });
  if (status !== 0) throw new Error(`files that are gone here could not be removed there (exit code ${status})`);
}

/** Undefined when it is not there any more. */
export async function fetchFile(place: RemotePlace, path: string): Promise<Buffer | undefined> {
  const { status, output } = await place.work(`cd ${root} && base64 <./${quote(path)} >&187`, {
    timeoutMs: transferLimitMs,
    maxBytes: 2 ** 30,
  });
  return status === 0 ? Buffer.from(output.toString('latin1'), 'base64') : undefined;
}

async function archiveEntry([path, { local, seconds, isSecret }]: Transfer): Promise<Buffer[]> {
  const { Header, Pax } = await import('tar');
  const data = await readFile(local);
  const { mode } = await stat(local);
  const facts = { path, size: data.length, mtime: new Date(seconds * 1000) };
  const header = new Header({ ...facts, mode: isSecret ? 0o600 : (mode & 0o755) | 0o600, type: 'File' });
  header.encode();
  const longName = header.needPax ? [new Pax(facts).encode()] : [];
  const padding = Buffer.alloc((512 - (data.length % 512)) % 512);
  return [...longName, header.block ?? Buffer.alloc(0), data, padding];
}
