/** Brings files of this machine to another host before its commands, and what was made there back at the end. */
import { lstat, readdir, readFile, stat } from 'node:fs/promises';
import { join, posix } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { errorMessage } from '../../lib/errors.ts';
import type { Log } from '../../lib/log.ts';
import { createLocalFiles } from '../local/local-files.ts';
import { HostLostError } from './host.ts';
import type { PlaceSync } from './remote-environment.ts';
import type { ReadyPlace, RemotePlace } from './remote-place.ts';
import { fetchFile, type FileLook, listThere, type LocalFile, removeThere, sendFiles } from './sync-transfer.ts';

export interface SyncedFolder {
  /** Absolute, here. */
  readonly local: string;
  /** Below `.hermes` in the user's directory there. */
  readonly remote: string;
  /** Whether what was changed or made there comes back. */
  readonly comesBack: boolean;
  /** Names at its top that stay here. */
  readonly without?: readonly string[];
}

export interface FileSyncOptions {
  readonly folders: readonly SyncedFolder[];
  /** Single files, asked at each look: absolute here, below `.hermes` there. They never come back. */
  readonly files: () => readonly { readonly local: string; readonly remote: string }[];
  /** Of one file that comes back; 0 brings nothing back. */
  readonly maxBackBytes: number;
  readonly log: Log;
  /** Milliseconds between two looks. Default 5000. */
  readonly intervalMs?: number;
  readonly limits?: Partial<SyncLimits>;
  /** Waits so many milliseconds before bringing back is tried again. Default: it does. */
  readonly wait?: (ms: number) => Promise<unknown>;
}

export interface SyncLimits {
  /** Files that are brought there. */
  readonly maxFiles: number;
  /** A larger one stays here. */
  readonly maxFileBytes: number;
  /** Files that come back, and their bytes together. */
  readonly maxBackFiles: number;
  readonly maxBackTotal: number;
}

export const standardLimits: SyncLimits = {
  maxFiles: 20_000,
  maxFileBytes: 100_000_000,
  maxBackFiles: 2000,
  maxBackTotal: 2 * 1024 ** 3,
};
const defaultIntervalMs = 5000;
/** What goes over in one archive. */
const batchBytes = 16_000_000;
const retryWaitsMs = [2000, 4000, 8000];

export function createFileSync(options: FileSyncOptions): PlaceSync {
  return new FileSync(options);
}

class FileSync implements PlaceSync {
  readonly #options: FileSyncOptions;
  readonly #limits: SyncLimits;
  /** By path below `.hermes`. */
  readonly #pushed = new Map<string, FileLook>();
  /** What is over there and was here in this session: ours to take away. */
  readonly #brought = new Set<string>();
  /** The place of which was asked what is over there: it may still have the files of the last time. */
  #asked: ReadyPlace | undefined;
  #lastLook = -Infinity;
  /** Single files that there were at the last look: a new one does not wait for the next. */
  #lastFiles = 0;
  #looking: Promise<void> | undefined;

  constructor(options: FileSyncOptions) {
    this.#options = options;
    this.#limits = { ...standardLimits, ...options.limits };
  }

  /** Never rejects for the sake of a file: a command does not fail because something else could not be copied. */
  async before(place: RemotePlace): Promise<void> {
    const now = Date.now();
    const { length } = this.#options.files();
    const isDue = now - this.#lastLook >= (this.#options.intervalMs ?? defaultIntervalMs) || length > this.#lastFiles;
    if (this.#looking === undefined && isDue) {
      this.#lastLook = now;
      this.#lastFiles = length;
      this.#looking = this.#push(place).finally(() => (this.#looking = undefined));
    }
    await this.#looking?.catch((error: unknown) => {
      if (error instanceof HostLostError) throw error;
      this.#options.log.warning(`${place.host.name}: files could not be brought there`, error);
    });
  }

  async atClose(place: RemotePlace): Promise<void> {
    if (this.#options.maxBackBytes === 0 || !this.#options.folders.some(({ comesBack }) => comesBack)) return;
    for (const wait of [...retryWaitsMs, undefined]) {
      try {
        await this.#bringBack(place);
        return;
      } catch (error) {
        if (wait === undefined || !(error instanceof HostLostError)) throw error;
        this.#options.log.warning(`${place.host.name}: files could not be brought back yet: ${errorMessage(error)}`);
        await (this.#options.wait ?? sleep)(wait);
      }
    }
  }

  async #push(place: RemotePlace): Promise<void> {
    const present = await this.#localFiles();
    if (this.#options.folders.length === 0 && present.size === 0 && this.#brought.size === 0) return;
    if (this.#asked === undefined || this.#asked !== place.present) {
      this.#asked = place.present;
      this.#pushed.clear();
      for (const [path, there] of await listThere(place, this.#roots())) this.#pushed.set(path, there);
    }
    const changed = [...present].filter(([path, file]) => !isSame(this.#pushed.get(path), file));
    // What was there before us and is not here may be somebody else's: only what we brought is taken away.
    const gone = [...this.#pushed.keys()].filter((path) => this.#brought.has(path) && !present.has(path));
    for (const batch of batches(changed)) {
      await sendFiles(place, batch);
      for (const [path, { size, seconds }] of batch) {
        this.#pushed.set(path, { size, seconds });
      }
    }
    for (const path of present.keys()) this.#brought.add(path);
    if (gone.length === 0) return;
    await removeThere(place, gone);
    for (const path of gone) this.#pushed.delete(path);
  }

  #roots(): string[] {
    return this.#options.folders.map(({ remote }) => remote);
  }

  async #localFiles(): Promise<Map<string, LocalFile>> {
    const found = new Map<string, LocalFile>();
    for (const { local, remote, without = [] } of this.#options.folders) {
      await collect(local, remote, { without: new Set(without), limits: this.#limits, found });
    }
    for (const { local, remote } of this.#options.files()) {
      const file = await lookAtFile(local, { isSecret: true, limits: this.#limits });
      if (file !== undefined) found.set(remote, file);
    }
    return found;
  }

  /** What the other side has written last wins; a file that was changed on both sides is told. */
  async #bringBack(place: RemotePlace): Promise<void> {
    const folders = this.#options.folders.filter(({ comesBack }) => comesBack);
    const there = await listThere(
      place,
      folders.map(({ remote }) => remote),
    );
    const changed = [...there].filter(([path, file]) => {
      const before = this.#pushed.get(path);
      return before === undefined || before.size !== file.size || before.seconds !== file.seconds;
    });
    const { maxBackFiles, maxBackTotal } = this.#limits;
    const files = createLocalFiles(() => '/', '/');
    let total = 0;
    for (const [path, { size, seconds }] of changed.slice(0, maxBackFiles)) {
      const local = localPath(folders, path);
      if (local === undefined || size > this.#options.maxBackBytes || total + size > maxBackTotal) {
        this.#options.log.warning(`${place.host.name}: ${path} stays there (${size} bytes)`);
        continue;
      }
      total += size;
      const bytes = await fetchFile(place, path);
      if (bytes === undefined) continue;
      const here = await lookAtFile(local, { isSecret: true, limits: this.#limits });
      const before = this.#pushed.get(path);
      if (here !== undefined && (before === undefined || !isSame(before, here))) {
        const same = (await readFile(local)).equals(bytes);
        if (same) continue;
        this.#options.log.warning(
          `${local} was changed here and on ${place.host.name}: the version from there is kept`,
        );
      }
      await files.write(local, bytes);
      this.#pushed.set(path, { size, seconds });
    }
    if (changed.length > maxBackFiles) {
      this.#options.log.warning(`${place.host.name}: ${changed.length - maxBackFiles} more files stay there`);
    }
  }
}

function isSame(before: FileLook | undefined, file: FileLook): boolean {
  return before !== undefined && before.size === file.size && before.seconds === file.seconds;
}

/** Regular files below a folder, bounded; links stay here, since they may lead anywhere. */
async function collect(
  local: string,
  remote: string,
  {
    without,
    limits,
    found,
  }: { readonly without: ReadonlySet<string>; readonly limits: SyncLimits; readonly found: Map<string, LocalFile> },
): Promise<void> {
  // A folder that is not there has nothing to bring.
  const entries = await readdir(local, { withFileTypes: true }).catch(() => []);
  for (const entry of entries) {
    if (found.size >= limits.maxFiles) return;
    if (without.has(entry.name)) continue;
    const path = join(local, entry.name);
    if (entry.isDirectory()) await collect(path, posix.join(remote, entry.name), { without: new Set(), limits, found });
    const file = entry.isFile() ? await lookAtFile(path, { isSecret: false, limits }) : undefined;
    if (file !== undefined) found.set(posix.join(remote, entry.name), file);
  }
}

async function lookAtFile(
  local: string,
  { isSecret, limits }: { readonly isSecret: boolean; readonly limits: SyncLimits },
): Promise<LocalFile | undefined> {
  // One that went away meanwhile is not there.
  const found = await (isSecret ? stat(local) : lstat(local)).catch(() => undefined);
  if (found === undefined || !found.isFile() || found.size > limits.maxFileBytes) return undefined;
  return { local, size: found.size, seconds: Math.floor(found.mtimeMs / 1000), isSecret };
}

function* batches(files: readonly (readonly [string, LocalFile])[]): Iterable<(readonly [string, LocalFile])[]> {
  let batch: (readonly [string, LocalFile])[] = [];
  let bytes = 0;
  for (const file of files) {
    if (batch.length > 0 && bytes + file[1].size > batchBytes) {
      yield batch;
      batch = [];
      bytes = 0;
    }
    batch.push(file);
    bytes += file[1].size;
  }
  if (batch.length > 0) yield batch;
}

/** Where a file from there belongs; undefined for what is in no folder of ours. */
function localPath(folders: readonly SyncedFolder[], path: string): string | undefined {
  if (path.split('/').some((part) => part === '' || part === '.' || part === '..' || part.includes('\\')))
    return undefined;
  const folder = folders.find(({ remote }) => path.startsWith(`${remote}/`));
  return folder === undefined ? undefined : join(folder.local, path.slice(folder.remote.length + 1));
}
