/** A git worktree for one session: made when it begins, removed when it ends unless something in it would be lost. */
import { randomBytes } from 'node:crypto';
import { appendFileSync, existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Variables } from '../../../config/variables.ts';
import { UserError } from '../../../lib/errors.ts';
import { bringIncluded } from './included-files.ts';
import { type Git, gitIn } from '../../../environments/git.ts';
import { pruneWorktrees, removeWorktree, whatWouldBeLost } from './old-worktrees.ts';

const fetchMs = 15_000;

export interface WorktreeOptions {
  /** Some directory of a repository. */
  readonly cwd: string;
  readonly env: Variables;
  /** `worktree_sync`: begin from the newest state of the remote. */
  readonly sync: boolean;
  /** Told one line at a time. */
  readonly say: (line: string) => void;
}

export interface Worktree {
  readonly path: string;
  /** For the system prompt. */
  readonly note: string;
  /** Removes it, or keeps it and says why. Must be called from outside of it. */
  close(): Promise<void>;
}

/** Throws `UserError` outside of a repository, and when git cannot make it. */
export async function openWorktree({ cwd, env, sync, say }: WorktreeOptions): Promise<Worktree> {
  const root = await gitIn(cwd, env).run(['rev-parse', '--show-toplevel']);
  if (root === undefined || root === '') {
    throw new UserError('--worktree needs a git repository, and this directory is in none.', {
      hint: 'Change to your project first, or leave -w out.',
    });
  }
  const git = gitIn(root, env);
  await pruneWorktrees(git);
  const base = await baseOf(git, sync);
  const name = `hermes-${randomBytes(4).toString('hex')}`;
  const branch = `hermes/${name}`;
  const path = join(root, '.worktrees', name);
  await ignoreWorktrees(git);
  mkdirSync(join(root, '.worktrees'), { recursive: true });
  if ((await git.run(['worktree', 'add', '-q', '-b', branch, path, base.commit])) === undefined) {
    throw new UserError(`git could not make a worktree at ${path}.`, {
      hint: `Try it by hand: git worktree add ${path}. A repository without a commit has nothing to begin from.`,
    });
  }
  // A lock with our process id: nobody prunes a worktree that is in use.
  await git.run(['worktree', 'lock', '--reason', `hermes pid=${process.pid}`, path]);
  for (const warning of await bringIncluded(root, path)) say(`⚠ ${warning}`);
  say(`Worktree: ${path} (branch ${branch}, from ${base.name})`);
  const before = (await git.at(path).run(['status', '--porcelain'])) ?? '';
  return {
    path,
    note: `You work in a git worktree of its own, made for this session: ${path}, on branch ${branch}. The repository it belongs to is ${root}; leave that directory alone. Commit what is to be kept: the worktree is removed after the session when nothing in it would be lost.`,
    async close() {
      const loss = await whatWouldBeLost(git, { path, branch, before });
      if (loss === undefined) {
        await removeWorktree(git, { path, branch });
        say(`Worktree removed: ${path}`);
        return;
      }
      await git.run(['worktree', 'unlock', path]);
      say(`⚠ Worktree has ${loss}, keeping: ${path}`);
      say(`  To remove it: git worktree remove --force ${path} && git branch -D ${branch}`);
    },
  };
}

interface Base {
  readonly commit: string;
  readonly name: string;
}

/** The newest state of the branch this one follows, else of the remote's main branch, else what is checked out. */
async function baseOf(git: Git, sync: boolean): Promise<Base> {
  const here = { commit: 'HEAD', name: 'HEAD' };
  const remote = sync ? (await git.run(['remote']))?.split('\n')[0] : undefined;
  if (remote === undefined || remote === '') return here;
  const followed = await git.run(['rev-parse', '--abbrev-ref', '@{upstream}']);
  const tip = followed ?? (await git.run(['rev-parse', '--abbrev-ref', `${remote}/HEAD`]));
  if (tip === undefined) return here;
  const from = tip.slice(0, tip.indexOf('/'));
  const fetched = await git.run(['fetch', '-q', from, tip.slice(from.length + 1)], fetchMs);
  return fetched === undefined ? { ...here, name: `HEAD; ${from} could not be reached` } : { commit: tip, name: tip };
}

async function ignoreWorktrees(git: Git): Promise<void> {
  if ((await git.run(['check-ignore', '-q', '.worktrees/x'])) !== undefined) return;
  const file = join(git.directory, '.gitignore');
  const text = existsSync(file) ? readFileSync(file, 'utf8') : '';
  appendFileSync(file, `${text === '' || text.endsWith('\n') ? '' : '\n'}.worktrees/\n`);
}
