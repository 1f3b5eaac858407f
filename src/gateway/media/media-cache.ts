/** Files of chats on this machine: where they lie, how they are called, and how long they stay. */
import { randomBytes } from 'node:crypto';
import { createWriteStream, existsSync, readdirSync, rmSync, statSync } from 'node:fs';
import { extname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { UserError } from '../../lib/errors.ts';
import { makeDirectories } from '../../lib/make-directories.ts';
import type { Attachment } from '../platform/message-event.ts';

export type MediaKind = 'images' | 'audio' | 'videos' | 'documents';

/** Below the home, with the name that older versions used. */
const folders: Readonly<Record<MediaKind, string>> = {
  images: 'image_cache',
  audio: 'audio_cache',
  videos: 'video_cache',
  documents: 'document_cache',
};
const kinds: readonly MediaKind[] = ['images', 'audio', 'videos', 'documents'];
const keptMs = 24 * 3_600_000;
const pruneEveryMs = 3_600_000;
const longestName = 120;

export interface MediaCacheOptions {
  readonly homePath: string;
  /** Of one file; 0 means any. */
  readonly maxBytes: number;
  readonly clock: { now(): number };
}

export class MediaCache {
  readonly #options: MediaCacheOptions;
  #prunedAt = 0;

  constructor(options: MediaCacheOptions) {
    this.#options = options;
  }

  /** Every folder whose files were made or taken in by this program: they may be sent. */
  get folders(): readonly string[] {
    const { homePath } = this.#options;
    const screenshots = [join(homePath, 'cache', 'screenshots'), join(homePath, 'browser_screenshots')];
    return [...kinds.flatMap((kind) => [join(homePath, 'cache', kind), join(homePath, folders[kind])]), ...screenshots];
  }

  /**
   * Stores what came with a message, as it comes; returns the path. Rejects with a `UserError` for a file that is too large,
   * and then nothing is left of it.
   */
  async store(
    attachment: Attachment,
    bytes: AsyncIterable<Uint8Array>,
    signal: AbortSignal,
  ): Promise<{ readonly path: string; readonly size: number }> {
    this.#pruneNowAndThen();
    const kind = kindOf(attachment);
    const folder = this.#folderOf(kind);
    makeDirectories(folder, 0o700);
    const path = join(folder, nameOf(kind, attachment));
    const counted = new Counted(this.#options.maxBytes);
    try {
      await pipeline(counted.pass(bytes), createWriteStream(path, { mode: 0o600, flags: 'wx' }), { signal });
      return { path, size: counted.size };
    } catch (error) {
      rmSync(path, { force: true });
      throw error;
    }
  }

  #pruneNowAndThen(): void {
    const now = this.#options.clock.now();
    if (now - this.#prunedAt < pruneEveryMs) return;
    this.#prunedAt = now;
    this.#prune();
  }

  /** Removes what is older than a day. */
  #prune(): void {
    const before = this.#options.clock.now() - keptMs;
    for (const folder of kinds.map((kind) => this.#folderOf(kind))) {
      for (const name of listed(folder)) {
        const found = statSync(join(folder, name), { throwIfNoEntry: false });
        if (found?.isFile() === true && found.mtimeMs < before) rmSync(join(folder, name), { force: true });
      }
    }
  }

  /** The older one while something is in it. */
  #folderOf(kind: MediaKind): string {
    const older = join(this.#options.homePath, folders[kind]);
    return listed(older).length > 0 ? older : join(this.#options.homePath, 'cache', kind);
  }
}

class Counted {
  size = 0;
  readonly #most: number;

  constructor(most: number) {
    this.#most = most;
  }

  async *pass(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    for await (const chunk of bytes) {
      this.size += chunk.length;
      if (this.#most > 0 && this.size > this.#most) {
        throw new UserError(`it is larger than ${Math.round(this.#most / 1024 / 1024)} MB`);
      }
      yield chunk;
    }
  }
}

function kindOf({ kind, mime_type: type = '' }: Attachment): MediaKind {
  if (kind === 'image' || kind === 'sticker') return type.startsWith('video/') ? 'videos' : 'images';
  if (kind === 'audio' || kind === 'voice') return 'audio';
  if (kind === 'video') return 'videos';
  return type.startsWith('image/') ? 'images' : 'documents';
}

const endings: Readonly<Record<string, string>> = {
  'image/png': '.png',
  'image/jpeg': '.jpg',
  'image/gif': '.gif',
  'image/webp': '.webp',
  'audio/ogg': '.ogg',
  'audio/mpeg': '.mp3',
  'audio/mp4': '.m4a',
  'video/mp4': '.mp4',
  'application/pdf': '.pdf',
};
const usual: Readonly<Record<MediaKind, string>> = { images: '.jpg', audio: '.ogg', videos: '.mp4', documents: '' };
const prefixes: Readonly<Record<MediaKind, string>> = {
  images: 'img',
  audio: 'audio',
  videos: 'video',
  documents: 'doc',
};

/** A name from outside is never a path: only letters, digits, `_`, `.`, `-` and spaces of its last part stay. */
function nameOf(kind: MediaKind, { name = '', mime_type: type = '' }: Attachment): string {
  const id = `${prefixes[kind]}_${randomBytes(6).toString('hex')}`;
  const safe = displayName(name);
  const ending = /^\.\w{1,8}$/.test(extname(safe)) ? extname(safe) : (endings[type.split(';')[0] ?? ''] ?? usual[kind]);
  return kind === 'documents' ? `${id}_${safe === '' ? `file${ending}` : safe}` : `${id}${ending}`;
}

export function displayName(name: string): string {
  const last = name.split(/[/\\]/).at(-1) ?? '';
  return last
    .replaceAll(/[^\p{L}\p{N}_.\- ]/gu, '')
    .replace(/^\.+/, '')
    .trim()
    .slice(-longestName);
}

function listed(folder: string): readonly string[] {
  return existsSync(folder) ? readdirSync(folder) : [];
}
