/** The agent's own notes, `MEMORY.md`, and what it knows of its user, `USER.md`. */
import { mkdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { writeFileAtomic } from '../config/atomic-file.ts';
import { errorCode, errorMessage, UserError } from '../lib/errors.ts';
import { withFileLock } from '../lib/file-lock.ts';
import { scanNote } from '../safety/injection.ts';
import { parseEntries, renderEntries, sizeLine, sizeOf, usageLine } from './entries.ts';
import { applyChange, type ChangeOutcome, type MemoryChange, type MemoryTarget } from './memory-change.ts';
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

export interface MemoryStore {
  /** Makes a change to what is on disk at that moment, so that nobody else's is lost. Never throws for what a model wrote. */
  change(change: MemoryChange): Promise<MemoryAnswer>;
  /** Notes a change down for the user to approve. */
  stage(change: MemoryChange, origin: MemoryOrigin): Promise<MemoryAnswer>;
  /** Makes a staged change if it still fits; it stays staged when it does not. */
  approve(id: string): Promise<MemoryAnswer>;
  readonly pending: PendingWrites;
  /** The blocks as they are now. A session takes them once and keeps them. */
  snapshot(): Promise<MemorySnapshot>;
  entries(target: MemoryTarget): readonly string[];
}

const files: Readonly<Record<MemoryTarget, string>> = { memory: 'MEMORY.md', user: 'USER.md' };
const headers: Readonly<Record<MemoryTarget, string>> = {
  memory: 'MEMORY (your personal notes)',
  user: 'USER PROFILE (who the user is)',
};
const rule = '═'.repeat(46);
/** No memory comes near; something else has been put in its place. */
const maxBytes = 1024 * 1024;

/** Reads and makes nothing before it is asked. */
export function createMemoryStore(options: MemoryStoreOptions): MemoryStore {
  const { homePath, limits, enabled } = options;
  const folder = join(homePath, 'memories');
  const pathOf = (target: MemoryTarget) => join(folder, files[target]);
  const pending = openPendingWrites(homePath, options.now ?? (() => new Date()));

  /** Throws `UserError` when the file cannot be used. */
  const entries = (target: MemoryTarget): string[] => parseEntries(readText(pathOf(target)));

  async function change(wanted: MemoryChange): Promise<MemoryAnswer> {
    const { target } = wanted;
    if (!enabled[target]) return failed(target, `The ${target} memory is switched off in the configuration.`);
    const path = pathOf(target);
    try {
      mkdirSync(folder, { recursive: true });
      return await withFileLock(`${path}.lock`, () => {
        const before = entries(target);
        const outcome = applyChange(before, wanted, limits[target]);
        if (outcome.kind === 'changed') writeFileAtomic(path, renderEntries(outcome.entries));
        return answer(target, before, outcome);
      });
    } catch (error) {
      return failed(target, `Memory could not be written: ${errorMessage(error)}`);
    }
  }

  function answer(target: MemoryTarget, before: readonly string[], outcome: ChangeOutcome): MemoryAnswer {
    const limit = limits[target];
    if (outcome.kind === 'refused') {
      const { error, matches, full } = outcome;
      return {
        ...failed(target, error),
        ...(matches === undefined ? {} : { matches }),
        ...(full === true ? { current_entries: before, usage: sizeLine(sizeOf(before), limit) } : {}),
      };
    }
    const now = outcome.kind === 'changed' ? outcome.entries : before;
    const usage = usageLine(sizeOf(now), limit);
    return { success: true, target, entries: now, usage, entry_count: now.length, message: outcome.message };
  }

  return {
    change,
    async stage(wanted, origin) {
      const { target } = wanted;
      try {
        // A change that could not be made now is told at once, not when somebody approves it.
        const outcome = applyChange(entries(target), wanted, limits[target]);
        if (outcome.kind !== 'changed') return answer(target, entries(target), outcome);
        const { id } = pending.add(wanted, origin);
        const message = `Waits for the user's approval as ${id} (/memory approve ${id}).`;
        return { success: true, staged: true, target, pending_id: id, message };
      } catch (error) {
        return failed(target, errorMessage(error));
      }
    },
    async approve(id) {
      const staged = pending.find(id);
      if (staged === undefined) return { success: false, error: `No memory write '${id}' waits for approval.` };
      const done = await change(staged.change);
      if (done.success) pending.remove(id);
      return done;
    },
    pending,
    entries,
    snapshot: () => {
      const warnings: string[] = [];
      const block = (target: MemoryTarget): string => {
        if (!enabled[target]) return '';
        try {
          return renderBlock(target, entries(target), limits[target], warnings);
        } catch (error) {
          warnings.push(errorMessage(error));
          return '';
        }
      };
      return Promise.resolve({ memory: block('memory'), user: block('user'), warnings });
    },
  };
}

/** Entries that read like an attack are shown as such; the file is left as it is. */
function renderBlock(target: MemoryTarget, entries: readonly string[], limit: number, warnings: string[]): string {
  if (entries.length === 0) return '';
  const shown = entries.map((entry) => {
    const ids = [...new Set(scanNote(entry).map(({ rule: id }) => id))];
    if (ids.length === 0) return entry;
    warnings.push(`${files[target]}: an entry reads like an attack (${ids.join(', ')}) and is kept from the model.`);
    return `[BLOCKED: this entry contained potential prompt injection (${ids.join(', ')}).]`;
  });
  const header = `${headers[target]} [${usageLine(sizeOf(entries), limit)}]`;
  return [rule, header, rule, renderEntries(shown)].join('\n');
}

function failed(target: MemoryTarget, error: string): { readonly success: false; readonly [key: string]: unknown } {
  return { success: false, target, error };
}

/** Empty for a missing file. */
function readText(path: string): string {
  try {
    const { size } = statSync(path);
    if (size > maxBytes) throw unusable(path, `it has ${Math.round(size / 1024)} KB, which is no memory`);
    const bytes = readFileSync(path);
    if (bytes.includes(0)) throw unusable(path, 'it is a binary file');
    return bytes.toString('utf8');
  } catch (error) {
    if (error instanceof UserError) throw error;
    if (errorCode(error) === 'ENOENT') return '';
    throw unusable(path, errorMessage(error));
  }
}

function unusable(path: string, why: string): UserError {
  return new UserError(`${path} cannot be used: ${why}.`, { hint: 'Mend it or move it away; it was not changed.' });
}
