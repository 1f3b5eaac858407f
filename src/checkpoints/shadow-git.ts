/** Runs git on the store of checkpoints, with the files of a project as its work tree and nothing of the user's git. */
import { randomUUID } from 'node:crypto';
import { runProgram } from '../environments/local/run-program.ts';
import { searchPathOf } from '../environments/local/search-path.ts';

export interface ShadowGitOptions {
  /** The bare repository. */
  readonly store: string;
  /** Its `PATH` is where git is found; nothing else of it is used. */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly timeoutMs: number;
}

class GitFailed extends Error {
  override readonly name = 'GitFailed';
}

const maxOutput = 8_000_000;

export interface GitPlace {
  readonly workTree?: string;
  readonly index?: string;
  /** Of a commit, as git writes dates; default: now. */
  readonly date?: string;
}

export class ShadowGit {
  readonly #options: ShadowGitOptions;

  constructor(options: ShadowGitOptions) {
    this.#options = options;
  }

  /** What git printed. Throws `GitFailed`, or Node's error when there is no git. */
  async run(args: readonly string[], place: GitPlace = {}) {
    const { store, timeoutMs } = this.#options;
    const mark = randomUUID();
    const variables = {
      PATH: searchPathOf(this.#options.env),
      HOME: store,
      LC_ALL: 'C',
      GIT_DIR: store,
      ...(place.workTree === undefined ? {} : { GIT_WORK_TREE: place.workTree }),
      ...(place.index === undefined ? {} : { GIT_INDEX_FILE: place.index }),
      GIT_CONFIG_GLOBAL: '/dev/null',
      GIT_CONFIG_SYSTEM: '/dev/null',
      GIT_CONFIG_NOSYSTEM: '1',
      GIT_TERMINAL_PROMPT: '0',
      GIT_AUTHOR_NAME: 'Hermes',
      GIT_AUTHOR_EMAIL: 'hermes@localhost',
      GIT_COMMITTER_NAME: 'Hermes',
      GIT_COMMITTER_EMAIL: 'hermes@localhost',
      ...(place.date === undefined ? {} : { GIT_AUTHOR_DATE: place.date, GIT_COMMITTER_DATE: place.date }),
      HERMES_CHECKPOINT_RUN: mark,
    };
    const { signal } = new AbortController();
    const cwd = place.workTree ?? store;
    const safely = ['-c', 'core.hooksPath=/dev/null', '-c', 'core.fsmonitor=false', '-c', 'commit.gpgSign=false'];
    const run = await runProgram(['git', ...safely, ...args], { cwd, timeoutMs, signal, maxOutput }, variables, mark);
    if (run.exitCode === 0) return run.output;
    throw new GitFailed(`git ${args[0] ?? ''} ended with ${run.exitCode}: ${run.stderr.trim().slice(0, 300)}`);
  }
}
