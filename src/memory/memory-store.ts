/** The agent's own notes, `MEMORY.md`, and what it knows of its user, `USER.md`. */
import { mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { errorMessage, UserError } from '../lib/errors.ts';
import { withFileLock } from '../lib/file-lock.ts';
import { renderEntries, sizeLine, sizeOf, usageLine } from './entries.ts';
import { fenced, threatsIn } from './fence.ts';
import { applyChange, type ChangeOutcome, type MemoryChange, type MemoryTarget } from './memory-change.ts';
import { MemoryFile } from './memory-file.ts';
import { type MemoryOrigin, openPendingWrites, type PendingWrites } from './pending.ts';

export interface MemoryStoreOptions {
  /** The active home, absolute. */
  readonly homePath: string;
  /** Code points of each file. */
  readonly limits: Readonly<Record<MemoryTarget, number>>;
  /** Which of the two files are kept. */
  readonly enabled: Readonly<Record<MemoryTarget, boolean>>;
  readonly now?: () => Date;
}

/** What the `memory` tool answers. */
export type MemoryAnswer = { readonly success: boolean; readonly [key: string]: unknown };

export interface MemorySnapshot {
  /** Blocks for the system prompt; empty when there is nothing. */
  readonly memory: string;
  readonly user: string;
  /** One line for each thing that could not be used, or was left out. */
  readonly warnings: readonly string[];
}

/**
 * Asks nobody. Whoever writes looks first at `refusal` and shows a person `describeMemoryChange` where asking is due.
 *
 * @example
 * const change = { action: 'add', target: 'user', content: 'Likes tea.' } as const;
 * const answer = store.refusal(change) ?? (await store.change(change, signal));
 */
export interface MemoryStore {
  /**
   * Makes a change to what is on disk at that moment, so that nobody else's is lost: also of editors and of the Python
   * original, which do not take the lock, whether they save in place or by renaming. Never throws: an abort, which ends the
   * wait for other writers, is answered like every other failure.
   */
  change(change: MemoryChange, signal?: AbortSignal): Promise<MemoryAnswer>;
  /** What `change` would answer if it would write nothing as things are; nobody need be asked about such a change. */
  refusal(change: MemoryChange): MemoryAnswer | undefined;
  /** Notes a change down for the user to approve. */
  stage(change: MemoryChange, origin: MemoryOrigin): Promise<MemoryAnswer>;
  /** Makes a staged change if it still fits; it stays staged when it does not. */
  approve(id: string): Promise<MemoryAnswer>;
  readonly pending: PendingWrites;
  /** The blocks as they are now. A session takes them once and keeps them. */
  snapshot(): Promise<MemorySnapshot>;
  /** Throws `UserError` when the file cannot be used. */
  entries(target: MemoryTarget): readonly string[];
}

const files: Readonly<Record<MemoryTarget, string>> = { memory: 'MEMORY.md', user: 'USER.md' };
const headers: Readonly<Record<MemoryTarget, string>> = {
  memory: 'MEMORY (your personal notes)',
  user: 'USER PROFILE (who the user is)',
};
const rule = '═'.repeat(46);

/** Reads and makes nothing before it is asked. */
export function createMemoryStore(options: MemoryStoreOptions): MemoryStore {
  return new HomeMemory(options);
}

class HomeMemory implements MemoryStore {
  readonly pending: PendingWrites;
  readonly #options: MemoryStoreOptions;
  readonly #folder: string;

  constructor(options: MemoryStoreOptions) {
    this.#options = options;
    this.#folder = join(options.homePath, 'memories');
    this.pending = openPendingWrites(options.homePath, options.now ?? (() => new Date()));
  }

  async change(change: MemoryChange, signal?: AbortSignal): Promise<MemoryAnswer> {
    const { target } = change;
    if (!this.#options.enabled[target]) return switchedOff(target);
    const path = this.#pathOf(target);
    const write = async (): Promise<MemoryAnswer> => {
      removeLeftovers(this.#folder, files[target]);
      let answer: MemoryAnswer = failed('Nothing was changed.');
      await this.#fileOf(target).change((before) => {
        const outcome = applyChange(before, change, this.#options.limits[target]);
        answer = this.#answer(target, before, outcome);
        return outcome.kind === 'changed' ? outcome.entries : undefined;
      }, signal);
      return answer;
    };
    try {
      mkdirSync(this.#folder, { recursive: true });
      return await withFileLock(`${path}.lock`, write, signal === undefined ? {} : { signal });
    } catch (error) {
      return failed(`Memory could not be written: ${describeError(error)}`);
    }
  }

  refusal(change: MemoryChange): MemoryAnswer | undefined {
    const { target } = change;
    if (!this.#options.enabled[target]) return switchedOff(target);
    try {
      const { before, outcome } = this.#try(change);
      return outcome.kind === 'changed' ? undefined : this.#answer(target, before, outcome);
    } catch (error) {
      return failed(describeError(error));
    }
  }

  async stage(change: MemoryChange, origin: MemoryOrigin): Promise<MemoryAnswer> {
    const { target } = change;
    // A change that could not be made now is answered at once, not when somebody approves it.
    const problem = this.refusal(change);
    if (problem !== undefined) return problem;
    try {
      const { id } = this.pending.add(change, origin);
      const message = `Waits for the user's approval as ${id} (/memory approve ${id}).`;
      return { success: true, staged: true, target, pending_id: id, message };
    } catch (error) {
      return failed(describeError(error));
    }
  }

  async approve(id: string): Promise<MemoryAnswer> {
    const staged = this.pending.find(id);
    if (staged === undefined) return { success: false, error: `No memory write '${id}' waits for approval.` };
    const done = await this.change(staged.payload);
    if (done.success) this.pending.remove(id);
    return done;
  }

  entries(target: MemoryTarget): readonly string[] {
    return this.#fileOf(target).entries();
  }

  #fileOf(target: MemoryTarget): MemoryFile {
    const path = this.#pathOf(target);
    return new MemoryFile(path, `${path}.last`);
  }

  async snapshot(): Promise<MemorySnapshot> {
    const warnings: string[] = [];
    const block = (target: MemoryTarget): string => {
      if (!this.#options.enabled[target]) return '';
      try {
        return renderBlock(target, this.entries(target), this.#options.limits[target], warnings);
      } catch (error) {
        warnings.push(describeError(error));
        return '';
      }
    };
    return { memory: block('memory'), user: block('user'), warnings };
  }

  #pathOf(target: MemoryTarget): string {
    return join(this.#folder, files[target]);
  }

  #try(change: MemoryChange): { readonly before: readonly string[]; readonly outcome: ChangeOutcome } {
    const before = this.entries(change.target);
    return { before, outcome: applyChange(before, change, this.#options.limits[change.target]) };
  }

  #answer(target: MemoryTarget, before: readonly string[], outcome: ChangeOutcome): MemoryAnswer {
    const limit = this.#options.limits[target];
    if (outcome.kind === 'refused') {
      const { error, matches, shows } = outcome;
      return {
        ...failed(error),
        ...(matches === undefined ? {} : { matches }),
        ...(shows === undefined ? {} : { current_entries: before.map(fenced) }),
        ...(shows === 'entries and size' ? { usage: sizeLine(sizeOf(before), limit) } : {}),
      };
    }
    const now = outcome.kind === 'changed' ? outcome.entries : before;
    const usage = usageLine(sizeOf(now), limit);
    return {
      success: true,
      done: true,
      target,
      usage,
      entry_count: now.length,
      message: outcome.message,
      note: 'Saved; there is nothing to repeat.',
    };
  }
}

/** Entries that read like an attack are shown as such; the file is left as it is. */
function renderBlock(target: MemoryTarget, entries: readonly string[], limit: number, warnings: string[]): string {
  if (entries.length === 0) return '';
  for (const threats of entries.map(threatsIn)) {
    if (threats.length === 0) continue;
    warnings.push(
      `${files[target]}: an entry reads like an attack (${threats.join(', ')}) and is kept from the model.`,
    );
  }
  const header = `${headers[target]} [${usageLine(sizeOf(entries), limit)}]`;
  return [rule, header, rule, renderEntries(entries.map(fenced))].join('\n');
}

function failed(error: string): { readonly success: false; readonly [key: string]: unknown } {
  return { success: false, error };
}

function switchedOff(target: MemoryTarget): MemoryAnswer {
  return failed(`The ${target} memory is switched off in the configuration.`);
}

function describeError(error: unknown): string {
  const hint = error instanceof UserError ? error.hint : undefined;
  return hint === undefined ? errorMessage(error) : `${errorMessage(error)} ${hint}`;
}

/** What writers that were killed left behind. Nobody writes now: the caller holds the lock. */
function removeLeftovers(folder: string, name: string): void {
  for (const other of readdirSync(folder)) {
    if (other.startsWith(`.${name}.`) && other.endsWith('.tmp')) rmSync(join(folder, other), { force: true });
  }
}
