/** Quick snapshots of a home's state: copies of the few files that hold what cannot be had again. */
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync } from 'node:fs';
import { join, posix } from 'node:path';
import * as z from 'zod';
import { writeFileAtomic } from '../lib/atomic-file.ts';
import { UserError } from '../lib/errors.ts';
import { copyLive, findFiles, putLive } from './copy-files.ts';

/** Files and folders that a snapshot holds; the same as the original's. */
const CONTENTS =
  `state.db config.yaml .env auth.json cron/jobs.json cron/executions.db gateway_state.json channel_directory.json
  channel_aliases.json processes.json gateway/discord_message_recovery.db projects.db response_store.db memory_store.db
  verification_evidence.db kanban.db kanban/boards pairing platforms/pairing feishu_comment_pairing.json`.split(/\s+/);
/** Folders below these that hold work rather than state. */
const LEFT_OUT = new Set(['workspaces', 'attachments']);
const SNAPSHOT_ID = /^\d{8}-\d{6}(?:-[A-Za-z0-9._-]{1,80})?$/;

/** So many are kept unless somebody asks for another number. */
export const SNAPSHOTS_KEPT = 20;

const manifestShape = z.object({
  id: z.string(),
  timestamp: z.string(),
  label: z.string().nullish(),
  file_count: z.number(),
  total_size: z.number(),
  files: z.record(z.string(), z.number()),
});

export type Snapshot = z.output<typeof manifestShape>;

/** The snapshots of one home, in `state-snapshots/`. */
export class StateSnapshots {
  readonly #home: string;
  readonly #folder: string;
  readonly #now: () => Date;

  constructor(homePath: string, now: () => Date = () => new Date()) {
    this.#home = homePath;
    this.#folder = join(homePath, 'state-snapshots');
    this.#now = now;
  }

  /** Copies what there is, then drops the oldest beyond `SNAPSHOTS_KEPT`. Undefined when there is nothing to keep. */
  async create(label = ''): Promise<Snapshot | undefined> {
    const paths = this.#contents();
    if (paths.length === 0) return undefined;
    const timestamp = stampOf(this.#now());
    const tidy = label
      .replace(/[^A-Za-z0-9_-]+/g, '-')
      .replace(/^-+|-+$/g, '')
      .slice(0, 60);
    const id = this.#freeId(tidy === '' ? timestamp : `${timestamp}-${tidy}`);
    const draft = join(this.#folder, `.${id}.${process.pid}.tmp`);
    try {
      mkdirSync(draft, { recursive: true, mode: 0o700 });
      const files: Record<string, number> = {};
      for (const path of paths) {
        const target = join(draft, path);
        await copyLive(join(this.#home, path), target);
        chmodSync(target, 0o600);
        files[path] = statSync(target).size;
      }
      const sizes = Object.values(files);
      const snapshot = {
        id,
        timestamp,
        label: label === '' ? null : label,
        file_count: sizes.length,
        total_size: sizes.reduce((sum, size) => sum + size, 0),
        files,
      };
      writeFileAtomic(join(draft, 'manifest.json'), JSON.stringify(snapshot, null, 2));
      renameSync(draft, join(this.#folder, id));
      this.prune(SNAPSHOTS_KEPT);
      return snapshot;
    } finally {
      rmSync(draft, { recursive: true, force: true });
    }
  }

  /** The newest first. Folders without a manifest that can be read are none. */
  list(): Snapshot[] {
    if (!existsSync(this.#folder)) return [];
    const ids = readdirSync(this.#folder).filter((name) => SNAPSHOT_ID.test(name));
    return ids
      .toSorted()
      .reverse()
      .flatMap((id) => this.#read(id) ?? []);
  }

  /**
   * Puts the files of a snapshot back, after taking one of what is there now; returns both. `which` is an id or a number
   * of `list`, from 1. Throws `UserError` when there is no such snapshot or a file of it is missing.
   */
  async restore(which: string): Promise<{ restored: Snapshot; before: Snapshot | undefined }> {
    const snapshots = this.list();
    const byNumber = /^\d{1,4}$/.test(which) ? snapshots[Number(which) - 1] : undefined;
    const restored = snapshots.find(({ id }) => id === which) ?? byNumber;
    if (restored === undefined) {
      throw new UserError(`There is no snapshot '${which}'.`, { hint: 'See them with: /snapshot list' });
    }
    const paths = Object.keys(restored.files);
    for (const path of paths) {
      if (!isPartOfState(path))
        throw new UserError(`The snapshot names '${path}', which is no file of a home's state.`);
      if (!existsSync(join(this.#folder, restored.id, path)))
        throw new UserError(`'${path}' is missing in the snapshot.`);
    }
    const before = await this.create('before-restore');
    for (const path of paths) await putLive(join(this.#folder, restored.id, path), join(this.#home, path));
    return { restored, before };
  }

  /** Deletes all but the newest; returns how many went. */
  prune(keep: number): number {
    const old = this.list().slice(keep);
    for (const { id } of old) rmSync(join(this.#folder, id), { recursive: true, force: true });
    return old.length;
  }

  #contents(): string[] {
    return CONTENTS.flatMap((path) => {
      const about = statSync(join(this.#home, path), { throwIfNoEntry: false });
      if (about?.isFile() === true) return [path];
      if (about?.isDirectory() !== true) return [];
      return findFiles(join(this.#home, path), (_, { name }) => !LEFT_OUT.has(name)).files.map(
        (file) => `${path}/${file}`,
      );
    });
  }

  #freeId(wanted: string): string {
    let id = wanted;
    for (let number = 2; existsSync(join(this.#folder, id)); number += 1) id = `${wanted}-${number}`;
    return id;
  }

  #read(id: string): Snapshot | undefined {
    try {
      const read: unknown = JSON.parse(readFileSync(join(this.#folder, id, 'manifest.json'), 'utf8'));
      const parsed = manifestShape.safeParse(read);
      return parsed.success ? { ...parsed.data, id } : undefined;
    } catch {
      // No manifest, or half of one: a snapshot that was not finished.
      return undefined;
    }
  }
}

function isPartOfState(path: string): boolean {
  if (posix.normalize(path) !== path || path.includes('\\')) return false;
  return CONTENTS.some((part) => path === part || path.startsWith(`${part}/`));
}

/** UTC, `20261122-143005`. */
function stampOf(date: Date): string {
  return date
    .toISOString()
    .replace(/[-:]|\.\d+Z/g, '')
    .replace('T', '-');
}
