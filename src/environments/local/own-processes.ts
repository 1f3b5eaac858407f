/** Everything that one environment has started: how it is recognised, watched over and ended. */
import { randomBytes } from 'node:crypto';
import { lstatSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { errorCode } from '../../lib/errors.ts';
import type { Log } from '../../lib/log.ts';
import { shellMark } from '../../lib/shell-mark.ts';
import { killTree } from './process-tree.ts';
import { Supervisor } from './supervisor.ts';

export class OwnProcesses {
  readonly #log: Log;
  /** Every process started here carries it, followed by a dot and a number. */
  readonly #id = randomBytes(16).toString('hex');
  /** Session leaders whose process group may still have members. */
  readonly #leaders = new Set<number>();
  #nextMark = 1;
  #ground: { readonly scratch: string; readonly supervisor: Supervisor } | undefined;

  constructor(log: Log) {
    this.#log = log;
  }

  /** A directory for short-lived files, made when it is first asked for. */
  get scratch(): string {
    return this.#start().scratch;
  }

  /** For the environment of one process tree: the variable, and the text by which its processes are found. */
  nextMark(): { readonly variable: Readonly<Record<string, string>>; readonly mark: string } {
    const value = `${this.#id}.${this.#nextMark++}.`;
    return { variable: { [shellMark]: value }, mark: `${shellMark}=${value}` };
  }

  watch(pid: number): void {
    this.#leaders.add(pid);
    this.#start().supervisor.watch(pid);
  }

  /** While a group has members its number stays taken, and they stay ours. */
  forget(pid: number): void {
    if (groupLives(pid)) return;
    this.#leaders.delete(pid);
    this.#ground?.supervisor.forget(pid);
  }

  /** Ends it when we die, and not before: what runs in it has to end first. */
  guard(pid: number): void {
    this.#start().supervisor.watch(pid);
  }

  async endAll(): Promise<void> {
    if (this.#ground === undefined) return;
    await killTree({ leaders: [...this.#leaders], mark: `${shellMark}=${this.#id}.` });
  }

  /** For after `endAll`: nothing is left that would need the directory or the supervisor. */
  release(): void {
    if (this.#ground === undefined) return;
    this.#ground.supervisor.dismiss();
    rmSync(this.#ground.scratch, { recursive: true, force: true });
  }

  #start(): { readonly scratch: string; readonly supervisor: Supervisor } {
    if (this.#ground === undefined) {
      const scratch = mkdtempSync(join(ownFolder(), 'local-'));
      this.#ground = { scratch, supervisor: new Supervisor(`${shellMark}=${this.#id}.`, scratch, this.#log) };
    }
    return this.#ground;
  }
}

/**
 * The folder for the files of all our environments. Under one name, so that the sandbox of one environment can hide those
 * of others that start later.
 */
function ownFolder(): string {
  const uid = process.getuid?.();
  const folder = join(tmpdir(), `hermes-${uid ?? 'user'}`);
  try {
    mkdirSync(folder, { mode: 0o700 });
  } catch (error) {
    if (errorCode(error) !== 'EEXIST') throw error;
  }
  const found = lstatSync(folder);
  const isOurs = found.isDirectory() && (uid === undefined || (found.uid === uid && (found.mode & 0o077) === 0));
  // Somebody else has taken the name: a folder that nobody can guess does as well.
  return isOurs ? folder : mkdtempSync(`${folder}-`);
}

function groupLives(group: number): boolean {
  try {
    process.kill(-group, 0);
    return true;
  } catch {
    // ESRCH: nobody is left in it. EPERM: what is left belongs to another user, and is not ours to end.
    return false;
  }
}
