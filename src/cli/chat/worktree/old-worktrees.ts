/** What becomes of a session's worktree: whether something in it would be lost, its removal, and those left behind. */
import { statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { isRunning } from '../../../lib/is-running.ts';
import type { Git } from '../../../environments/git.ts';

const maxAgeMs = 24 * 60 * 60 * 1000;

interface Place {
  readonly path: string;
  readonly branch: string;
}

/**
 * In words; undefined when nothing would be. `before`: what git said of its files when they were made. When git does not
 * answer, everything counts as lost.
 */
export async function whatWouldBeLost(
  git: Git,
  { path, branch, before = '' }: Place & { readonly before?: string },
): Promise<string | undefined> {
  const there = git.at(path);
  const own = await there.run([
    'rev-list',
    '--count',
    'HEAD',
    '--not',
    `--exclude=${branch}`,
    '--branches',
    '--remotes',
  ]);
  if (own !== '0') return 'commits that are nowhere else';
  const changes = await there.run(['status', '--porcelain']);
  return changes === before ? undefined : 'uncommitted changes';
}

export async function removeWorktree(git: Git, { path, branch }: Place): Promise<void> {
  await git.run(['worktree', 'unlock', path]);
  await git.run(['worktree', 'remove', '--force', path]);
  await git.run(['branch', '-q', '-D', branch]);
}

/** Removes worktrees of sessions that ended a day ago or longer without cleaning up, where nothing would be lost. */
export async function pruneWorktrees(git: Git): Promise<void> {
  const listed = await git.run(['worktree', 'list', '--porcelain']);
  const home = join(git.directory, '.worktrees');
  for (const block of (listed ?? '').split('\n\n')) {
    const path = /^worktree (.+)$/m.exec(block)?.[1];
    const branch = /^branch refs\/heads\/(hermes\/hermes-[0-9a-f]{8})$/m.exec(block)?.[1];
    if (path === undefined || branch === undefined || dirname(path) !== home) continue;
    if (!basename(path).startsWith('hermes-') || isInUse(block) || isYoung(path)) continue;
    if ((await whatWouldBeLost(git, { path, branch })) === undefined) await removeWorktree(git, { path, branch });
  }
}

function isInUse(block: string): boolean {
  const pid = /^locked hermes pid=(\d+)$/m.exec(block)?.[1];
  if (pid !== undefined) return isRunning(Number(pid));
  return /^locked/m.test(block);
}

function isYoung(path: string): boolean {
  return Date.now() - (statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0) < maxAgeMs;
}
