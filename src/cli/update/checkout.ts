/** A checkout of this program: what is newer at its origin, and the way there and back. */
import type { Variables } from '../../config/variables.ts';
import { runCaptured } from '../../environments/run-captured.ts';
import { errorMessage, UserError } from '../../lib/errors.ts';

export interface Newer {
  /** Full hash that the checkout is on. */
  readonly from: string;
  readonly to: string;
  /** Commits of the origin that are not here, newest first, as lines for people; at most 20. */
  readonly subjects: readonly string[];
  /** How many of them there are. */
  readonly behind: number;
  /** Commits here that the origin does not have. */
  readonly ahead: number;
}

const fetchMs = 120_000;
const localMs = 30_000;

/** Asks nothing, and loses no file that a person works on; every method throws `UserError` with what git said. */
export class Checkout {
  readonly #folder: string;
  readonly #env: Variables;

  constructor(folder: string, env: Variables) {
    this.#folder = folder;
    // Nobody is there to type a password into a git that runs in between.
    this.#env = { ...env, GIT_TERMINAL_PROMPT: '0' };
  }

  /** Undefined when no branch is checked out. */
  async branch(): Promise<string | undefined> {
    const name = await this.#git(['rev-parse', '--abbrev-ref', 'HEAD']);
    return name === 'HEAD' ? undefined : name;
  }

  /** Files that a person changed, as git lists them. */
  async changes(): Promise<readonly string[]> {
    const text = await this.#git(['status', '--porcelain', '--untracked-files=no']);
    return text === '' ? [] : text.split('\n');
  }

  /** Fetches, and compares `branch` of the origin with what is checked out. */
  async newer(branch: string): Promise<Newer> {
    await this.#git(['remote', 'get-url', 'origin']).catch((error: unknown) => {
      throw new UserError('This checkout has no origin that a newer version could come from.', { cause: error });
    });
    await this.#git(['fetch', '--quiet', 'origin', `refs/heads/${branch}:refs/remotes/origin/${branch}`], fetchMs);
    const [from, to] = [await this.#git(['rev-parse', 'HEAD']), await this.#git(['rev-parse', `origin/${branch}`])];
    const counts = await this.#git(['rev-list', '--left-right', '--count', `${from}...${to}`]);
    const [ahead = 0, behind = 0] = counts.split(/\s+/).map(Number);
    const subjects = await this.#git(['log', '--format=%h %s', '--max-count=20', `${from}..${to}`]);
    return { from, to, ahead, behind, subjects: subjects === '' ? [] : subjects.split('\n') };
  }

  /** Takes the changed files out of the way; returns the hash of where they are kept. */
  async putAside(): Promise<string> {
    await this.#git(['stash', 'push', '--quiet', '--message', 'before hermes update']);
    return await this.#git(['rev-parse', 'stash@{0}']);
  }

  /** Rejects, with nothing of it applied, when they do not fit what is there now. */
  async bringBack(aside: string): Promise<void> {
    const before = await this.#git(['rev-parse', 'HEAD']);
    try {
      await this.#git(['stash', 'apply', '--quiet', aside]);
    } catch (error) {
      await this.#git(['reset', '--quiet', '--hard', before]);
      throw error;
    }
    await this.forget(aside);
  }

  /** Drops what was put aside. */
  async forget(aside: string): Promise<void> {
    const kept = (await this.#git(['stash', 'list', '--format=%H'])).split('\n');
    const place = kept.indexOf(aside);
    if (place >= 0) await this.#git(['stash', 'drop', '--quiet', `stash@{${place}}`]);
  }

  /** Puts the branch on the newer commit; refuses when both sides went on. */
  async advance(branch: string, to: string): Promise<void> {
    if ((await this.branch()) !== branch) await this.#git(['switch', '--quiet', branch]);
    await this.#git(['merge', '--quiet', '--ff-only', to]);
  }

  /** Back to where it was; changes of a person would stop it. */
  async goBack(to: string): Promise<void> {
    await this.#git(['reset', '--quiet', '--keep', to]);
  }

  async #git(args: readonly string[], timeoutMs = localMs): Promise<string> {
    const options = { env: this.#env, timeoutMs };
    const run = await runCaptured('git', ['-C', this.#folder, ...args], options).catch((error: unknown) => {
      throw new UserError(`git could not be started: ${errorMessage(error)}`, { cause: error });
    });
    if (run.code === 0) return run.stdout.trim();
    const why = run.signal === null ? run.stderr.trim() : `it was ended by ${run.signal}`;
    throw new UserError(`git ${args[0] ?? ''} failed: ${why}`);
  }
}
