/** How a git tree stands: its branch, what is changed in it, its newest commits. Asks git, and waits only so long. */
import type { Environment } from '../environments/environment.ts';

export interface GitState {
  /** Undefined on a detached head. */
  readonly branch: string | undefined;
  readonly upstream?: string;
  readonly ahead: number;
  readonly behind: number;
  readonly staged: number;
  readonly modified: number;
  readonly untracked: number;
  readonly conflicts: number;
  /** Newest first: short hash and subject. */
  readonly commits: readonly string[];
}

const deadlineMs = 2500;
const maxOutput = 400_000;
/** A repository may name programs that git is to run; a look at it must run none. */
const safely = ['--no-optional-locks', '-c', 'core.fsmonitor=false', '-c', 'core.hooksPath=/dev/null'];

/** Undefined when git is missing, says no, or takes too long. Never throws. */
export async function gitState(
  environment: Pick<Environment, 'runProgram'>,
  cwd: string,
  commits = 3,
): Promise<GitState | undefined> {
  const git = async (...args: string[]): Promise<string | undefined> => {
    const { signal } = new AbortController();
    try {
      const run = await environment.runProgram(['git', ...safely, ...args], {
        cwd,
        timeoutMs: deadlineMs,
        signal,
        maxOutput,
      });
      return run.exitCode === 0 ? run.output : undefined;
    } catch {
      // Without git there is nothing to tell.
      return undefined;
    }
  };
  const [status, log] = await Promise.all([
    git('status', '--porcelain=v2', '--branch'),
    git('log', `-${commits}`, '--no-show-signature', '--format=%h %s'),
  ]);
  if (status === undefined) return undefined;
  return { ...readStatus(status), commits: (log ?? '').split('\n').filter((line) => line !== '') };
}

/** Porcelain version 2: https://git-scm.com/docs/git-status#_porcelain_format_version_2 */
function readStatus(status: string): Omit<GitState, 'commits'> {
  const lines = status.split('\n');
  const header = (name: string): string | undefined =>
    lines.find((line) => line.startsWith(`# branch.${name} `))?.slice(`# branch.${name} `.length);
  const [, ahead = '0', behind = '0'] = /^\+(\d+) -(\d+)/.exec(header('ab') ?? '') ?? [];
  const head = header('head');
  const upstream = header('upstream');
  const changed = lines.filter((line) => /^[12] /.test(line));
  return {
    branch: head === '(detached)' ? undefined : head,
    ...(upstream === undefined ? {} : { upstream }),
    ahead: Number(ahead),
    behind: Number(behind),
    staged: changed.filter((line) => line[2] !== '.').length,
    modified: changed.filter((line) => line[3] !== '.').length,
    untracked: lines.filter((line) => line.startsWith('? ')).length,
    conflicts: lines.filter((line) => line.startsWith('u ')).length,
  };
}
