/** Copies of project directories from before they were changed, in one bare git repository below the home. */
import { createHash } from 'node:crypto';
import { existsSync, lstatSync, mkdirSync, readdirSync, readFileSync, realpathSync, renameSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, isAbsolute, join, normalize, resolve, sep } from 'node:path';
import * as z from 'zod';
import { writeFileAtomic } from '../lib/atomic-file.ts';
import { UserError } from '../lib/errors.ts';
import { parseJson } from '../lib/json.ts';
import { createPathGuard, type PathGuard } from '../safety/paths.ts';
import { excludedPatterns } from './excluded.ts';
import { ShadowGit } from './shadow-git.ts';

export interface CheckpointStoreOptions {
  readonly homePath: string;
  /** Its `PATH` is where git is found. */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly timeoutMs: number;
  /** Checkpoints kept of each project. */
  readonly maxSnapshots: number;
  readonly maxFileBytes: number;
  readonly now?: () => Date;
}

export interface Checkpoint {
  readonly commit: string;
  readonly takenAt: Date;
  readonly reason: string;
  /** What changed since the one before, in git's words; empty for the first. */
  readonly changes: string;
}

export interface CheckpointProject {
  readonly hash: string;
  readonly directory: string;
  readonly lastTouch: number;
}

const projectMarkers = [
  '.git',
  'pyproject.toml',
  'package.json',
  'Cargo.toml',
  'go.mod',
  'Makefile',
  'pom.xml',
  '.hg',
  'Gemfile',
];
const maxFiles = 50_000;
const projectShape = z.object({ workdir: z.string(), created_at: z.number(), last_touch: z.number() });

/** The directory whose state is kept for a file or directory in it. */
export function projectRoot(path: string): string {
  const start = lstatSync(path, { throwIfNoEntry: false })?.isDirectory() === true ? path : dirname(path);
  for (let at = start; ; at = dirname(at)) {
    if (projectMarkers.some((name) => existsSync(join(at, name)))) return at;
    if (dirname(at) === at) return start;
  }
}

export class CheckpointStore {
  readonly base: string;
  readonly git: ShadowGit;
  readonly #options: CheckpointStoreOptions;
  readonly #guard: PathGuard;

  constructor(options: CheckpointStoreOptions) {
    this.#options = options;
    const { env, homePath, timeoutMs } = options;
    this.base = join(homePath, 'checkpoints');
    this.#guard = createPathGuard({ homePath, root: homePath, userHome: homedir() });
    this.git = new ShadowGit({ store: this.path, env, timeoutMs });
  }

  get path(): string {
    return join(this.base, 'store');
  }

  /** Undefined where nothing is to be kept: the directory is none, too large, or as it was. Throws when git fails. */
  async take(directory: string, reason: string): Promise<string | undefined> {
    const project = this.#project(directory);
    if (project === undefined) return undefined;
    await this.#open();
    const { workTree, index, ref, hash } = project;
    const place = { workTree, index };
    if (!(await this.#stage(place))) return undefined;
    const tree = (await this.git.run(['write-tree'], place)).trim();
    const [head] = await this.#commits(ref, 1);
    this.#touch(hash, workTree);
    if (head !== undefined && (await this.git.run(['rev-parse', `${head}^{tree}`])).trim() === tree) return undefined;
    const parent = head === undefined ? [] : ['-p', head];
    const commit = (await this.git.run(['commit-tree', tree, ...parent, '-m', reason])).trim();
    await this.git.run(['update-ref', ref, commit]);
    await this.#bound(ref);
    return commit;
  }

  /** Newest first. */
  async list(directory: string): Promise<readonly Checkpoint[]> {
    const project = this.#project(directory);
    if (project === undefined || !existsSync(join(this.path, 'HEAD'))) return [];
    const [head] = await this.#commits(project.ref, 1);
    if (head === undefined) return [];
    const format = '--format=%x1e%H%x1f%ct%x1f%s%x1f';
    const log = await this.git.run([
      '-c',
      'log.showRoot=false',
      'log',
      project.ref,
      `-${this.#options.maxSnapshots}`,
      '--shortstat',
      format,
    ]);
    return log
      .split('\u001E')
      .slice(1)
      .map((record) => {
        const [commit = '', seconds = '0', reason = '', changes = ''] = record.split('\u001F');
        return { commit, takenAt: new Date(Number(seconds) * 1000), reason, changes: changes.trim() };
      });
  }

  /** From the checkpoint to what is there now. */
  async diff(directory: string, commit: string): Promise<string> {
    const { workTree, index } = this.#required(directory, commit);
    const place = { workTree, index };
    if (!(await this.#stage(place))) throw new UserError(`There are too many files in ${directory} to compare.`);
    return await this.git.run(
      ['diff', '--cached', '--patch-with-stat', '--no-color', '--no-ext-diff', '--no-textconv', commit],
      place,
    );
  }

  /**
   * Puts the files of a checkpoint back, or one of them; what is there now is kept as a checkpoint first. Files that
   * came later stay. Throws `UserError` for a commit or a path that is none.
   */
  async restore(directory: string, commit: string, file?: string): Promise<void> {
    const { workTree, index } = this.#required(directory, commit);
    if (file !== undefined) requireInside(file);
    await this.take(directory, `pre-rollback snapshot (restoring to ${commit.slice(0, 8)})`);
    const path = file === undefined ? '.' : normalize(file);
    if (file !== undefined && (await this.git.run(['ls-tree', commit, '--', path], { workTree })) === '') {
      throw new UserError(`The checkpoint ${commit.slice(0, 8)} holds no file '${file}'.`);
    }
    await this.git.run(['checkout', commit, '--', path], { workTree, index });
  }

  projects(): readonly CheckpointProject[] {
    const folder = join(this.path, 'projects');
    if (!existsSync(folder)) return [];
    return readdirSync(folder).flatMap((name) => {
      const hash = /^([0-9a-f]{16})\.json$/.exec(name)?.[1];
      const found = projectShape.safeParse(parseJson(readFileSync(join(folder, name), 'utf8')));
      if (hash === undefined || !found.success) return [];
      return [{ hash, directory: found.data.workdir, lastTouch: found.data.last_touch }];
    });
  }

  /** All commits that a ref of the store reaches by first parents, newest first; none when there is no such ref. */
  async #commits(ref: string, count: number): Promise<readonly string[]> {
    const known = (await this.git.run(['for-each-ref', '--format=%(objectname)', ref])).trim();
    if (known === '') return [];
    return (await this.git.run(['rev-list', `-${count}`, ref])).split('\n').filter((line) => line !== '');
  }

  /** Lets the oldest go: the commits that stay are written anew on a root of their own. */
  async #bound(ref: string): Promise<void> {
    const { maxSnapshots } = this.#options;
    const commits = await this.#commits(ref, maxSnapshots + 1);
    if (maxSnapshots < 1 || commits.length <= maxSnapshots) return;
    let parent: string | undefined;
    for (const commit of commits.slice(0, maxSnapshots).reverse()) {
      const text = await this.git.run(['show', '-s', '--format=%T%x1f%at%x1f%s', commit]);
      const [tree = '', seconds = '', reason = ''] = text.trim().split('\u001F');
      const on = parent === undefined ? [] : ['-p', parent];
      parent = (await this.git.run(['commit-tree', tree, ...on, '-m', reason], { date: `${seconds} +0000` })).trim();
    }
    if (parent !== undefined) await this.git.run(['update-ref', ref, parent]);
  }

  /** Brings the index to what is there now and may be kept; false when there are too many files. */
  async #stage(place: { readonly workTree: string; readonly index: string }): Promise<boolean> {
    const leftOut = await this.#leftOut(place);
    if (leftOut === undefined) return false;
    const spared = leftOut.map((path) => `:(exclude,literal)${path}`);
    await this.git.run(['add', '-A', '--ignore-errors', '--', '.', ...spared], place);
    // One that was small before is in the index.
    const named = leftOut.map((path) => `:(literal)${path}`);
    if (leftOut.length > 0)
      await this.git.run(['rm', '-q', '-f', '--cached', '--ignore-unmatch', '--', ...named], place);
    return true;
  }

  /** Files that are too large to keep or hold credentials; undefined when there are too many files at all. */
  async #leftOut(place: { readonly workTree: string; readonly index: string }): Promise<string[] | undefined> {
    const listed = await this.git.run(['ls-files', '-z', '--cached', '--others', '--exclude-standard'], place);
    const paths = listed.split('\0').filter((path) => path !== '');
    if (paths.length > maxFiles) return undefined;
    const { maxFileBytes } = this.#options;
    const absolute = (path: string): string => join(place.workTree, path);
    const open = new Set(this.#guard.readableNames(paths.map(absolute)));
    return paths.filter((path) => {
      const stat = lstatSync(absolute(path), { throwIfNoEntry: false });
      return !open.has(absolute(path)) || (stat !== undefined && stat.size > maxFileBytes);
    });
  }

  #project(directory: string) {
    if (!existsSync(directory)) return undefined;
    const workTree = realpathSync(resolve(directory));
    if (workTree === sep || workTree === realpathSync(homedir())) return undefined;
    const own = [this.#options.homePath, join(homedir(), '.hermes')].filter((home) => existsSync(home));
    if (own.some((home) => realpathSync(home) === workTree)) return undefined;
    if (this.#guard.denyRead(workTree) !== undefined) return undefined;
    const hash = createHash('sha256').update(workTree).digest('hex').slice(0, 16);
    return { workTree, hash, ref: `refs/hermes/${hash}`, index: join(this.path, 'indexes', hash) };
  }

  #required(directory: string, commit: string) {
    const project = this.#project(directory);
    if (!/^[0-9a-f]{4,64}$/.test(commit)) throw new UserError(`'${commit}' is no checkpoint: 4 to 64 hex digits.`);
    if (project === undefined) throw new UserError(`There are no checkpoints of ${directory}.`);
    return project;
  }

  async #open(): Promise<void> {
    if (existsSync(join(this.path, 'HEAD'))) return;
    this.#setAsideLegacy();
    for (const folder of ['indexes', 'projects']) mkdirSync(join(this.path, folder), { recursive: true, mode: 0o700 });
    await this.git.run(['init', '--bare', '-q', this.path]);
    mkdirSync(join(this.path, 'info'), { recursive: true });
    writeFileAtomic(join(this.path, 'info', 'exclude'), `${excludedPatterns.join('\n')}\n`);
  }

  /** Earlier versions of the original kept one repository a project. */
  #setAsideLegacy(): void {
    mkdirSync(this.base, { recursive: true, mode: 0o700 });
    const old = readdirSync(this.base).filter((name) => /^[0-9a-f]{8,64}$/.test(name));
    if (old.length === 0) return;
    const aside = join(this.base, `legacy-${Math.floor(this.#now() / 1000)}`);
    mkdirSync(aside, { recursive: true });
    for (const name of old) renameSync(join(this.base, name), join(aside, name));
  }

  #touch(hash: string, workdir: string): void {
    const path = join(this.path, 'projects', `${hash}.json`);
    const now = this.#now() / 1000;
    const known = this.projects().some((project) => project.hash === hash)
      ? projectShape.safeParse(parseJson(readFileSync(path, 'utf8')))
      : undefined;
    const created = known?.success === true ? known.data.created_at : now;
    mkdirSync(dirname(path), { recursive: true });
    writeFileAtomic(path, JSON.stringify({ workdir, created_at: created, last_touch: now }));
  }

  #now(): number {
    return (this.#options.now?.() ?? new Date()).getTime();
  }
}

function requireInside(file: string): void {
  const path = normalize(file);
  if (isAbsolute(path) || path === '..' || path.startsWith(`..${sep}`) || path === '.') {
    throw new UserError(`'${file}' is no path inside of the project.`);
  }
}
