/** One memory file that others may save at any moment and in any way: read when it is whole, changed without losing theirs. */
import { closeSync, fstatSync, openSync, readFileSync, statSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { writeFileAtomic } from '../lib/atomic-file.ts';
import { UserError } from '../lib/errors.ts';
import { parseEntries, renderEntries } from './entries.ts';
import { identityOf, keepLastCopy, type LastCopy, overlapMs, readLastCopy } from './last-copy.ts';
import { deltaOf, type EntriesDelta, withDelta } from './merge-entries.ts';
import { readMemoryFile } from './read-memory-file.ts';

/** What to write instead of the entries that are there; undefined to leave them. */
export type EntriesChange = (entries: readonly string[]) => readonly string[] | undefined;

interface Seen {
  readonly text: string;
  readonly identity: string;
  readonly entries: readonly string[];
  readonly copy: LastCopy;
}

/** A file that others have just saved is taken as whole when nothing changes it for so long. */
const quietMs = 10;
/** An empty or cut one only after this: it is what a save in place looks like on the way. */
const doubtMs = 1_000;
/** Where somebody saves again and again, any state that is not in doubt will do after this. */
const hurryMs = 1_500;
/** Where others save too, what we wrote is looked after for so long. */
const lingerMs = 60;
const patienceMs = 8_000;

export class MemoryFile {
  readonly #path: string;
  readonly #copyPath: string;

  /** `copyPath` is where the last copy of ours is kept. */
  constructor(path: string, copyPath: string) {
    this.#path = path;
    this.#copyPath = copyPath;
  }

  /** The entries as they are. Throws `UserError` when the file cannot be used. */
  entries(): readonly string[] {
    const { text, entries, copy } = this.#see();
    const savedAt = savedMs(this.#path);
    if (savedAt === undefined || !isDoubtful(text, copy) || Date.now() - savedAt > doubtMs) return entries;
    return parseEntries(copy.text);
  }

  /**
   * Makes a change to what is there when it is written; the caller holds the lock of the file. `change` may be asked
   * again when others save meanwhile. Throws `UserError` when they never stop, else file-system errors.
   */
  async change(change: EntriesChange, signal?: AbortSignal): Promise<void> {
    const deadline = Date.now() + patienceMs;
    for (;;) {
      const seen = await this.#settled(deadline, signal);
      const next = change(seen.entries);
      if (next === undefined) return;
      const missed = this.#replace(seen, next);
      if (missed === 'not replaced') continue;
      if (missed === 'replaced') {
        // Nobody else has saved since our last change: nobody is about to.
        if (seen.identity === seen.copy.identity || seen.identity === '') return;
        if (await this.#held(deltaOf(seen.entries, next))) return;
        await this.change((current) => withDelta(current, deltaOf(seen.entries, next)), signal);
        return;
      }
      // Somebody had begun to save into the file that we replaced: theirs goes into the new one.
      const theirs = await this.#late(missed, deadline);
      if (theirs === undefined) return;
      const ours = deltaOf(seen.entries, next);
      const merged = withDelta(theirs, ours);
      await this.change((current) => withDelta(current, deltaOf(next, merged)), signal);
      return;
    }
  }

  #see(): Seen {
    const copy = readLastCopy(this.#copyPath);
    const identity = identityOf(this.#path);
    const text = readMemoryFile(this.#path);
    if (identity === copy.identity) return { text, identity, entries: parseEntries(text), copy };
    const savedAt = text.trim() === '' ? undefined : savedMs(this.#path);
    // Whoever saved so soon after a change of ours had not seen it, and did not mean to take it back.
    const unseen = copy.changes.filter(({ at }) => savedAt !== undefined && Math.abs(savedAt - at) < overlapMs);
    const entries = unseen.reduce<readonly string[]>(withDelta, parseEntries(text));
    return { text, identity, entries, copy };
  }

  /** The file once nobody is in the middle of saving it. */
  async #settled(deadline: number, signal: AbortSignal | undefined): Promise<Seen> {
    const began = Date.now();
    let since = began;
    let last: string | undefined;
    for (;;) {
      signal?.throwIfAborted();
      const seen = this.#see();
      if (seen.identity === seen.copy.identity) return seen;
      const now = Date.now();
      if (last !== seen.identity) since = now;
      last = seen.identity;
      const quiet = Math.max(now - since, now - (savedMs(this.#path) ?? now));
      const doubtful = isDoubtful(seen.text, seen.copy);
      const wanted = doubtful ? doubtMs : quietMs;
      const isWhole = quiet >= wanted || (!doubtful && now - began >= hurryMs) || isNew(seen);
      if (isWhole && identityOf(this.#path) === seen.identity) {
        this.#keepAside(seen);
        return seen;
      }
      if (now >= deadline) {
        throw new UserError(`${this.#path} is being written by another program without a pause.`, {
          hint: 'Nothing was changed; try again when it has ended.',
        });
      }
      await sleep(quietMs / 2);
    }
  }

  /** The file that was replaced when somebody writes into it, still open. */
  #replace(seen: Seen, next: readonly string[]): 'replaced' | 'not replaced' | Replaced {
    const text = renderEntries(next);
    const old = seen.identity === '' ? undefined : openSync(this.#path, 'r');
    let isKept = false;
    try {
      const before = old === undefined ? undefined : stateOf(old);
      const isOurs = (): boolean => identityOf(this.#path) === seen.identity;
      if (!writeFileAtomic(this.#path, text, { onlyIf: isOurs })) return 'not replaced';
      const now = { text, identity: identityOf(this.#path) };
      keepLastCopy(this.#copyPath, seen.copy, now, deltaOf(seen.entries, next));
      if (old === undefined || before === stateOf(old)) return 'replaced';
      isKept = true;
      return { file: old };
    } finally {
      if (old !== undefined && !isKept) closeSync(old);
    }
  }

  /** False when somebody who had read the file before our change saves right after it, and so takes it back. */
  async #held({ added, removed }: EntriesDelta): Promise<boolean> {
    const identity = identityOf(this.#path);
    const until = Date.now() + lingerMs;
    while (Date.now() < until) {
      await sleep(quietMs / 2);
      if (identityOf(this.#path) === identity) continue;
      const now = parseEntries(readMemoryFile(this.#path));
      return (
        added.every((entry) => now.some((other) => other.includes(entry))) && !removed.some((e) => now.includes(e))
      );
    }
    return true;
  }

  /** What was saved into the replaced file, once it is whole; undefined when nothing came of it. */
  async #late({ file }: Replaced, deadline: number): Promise<readonly string[] | undefined> {
    try {
      const until = Math.min(deadline, Date.now() + doubtMs);
      while (Date.now() < until) {
        const before = stateOf(file);
        await sleep(2 * quietMs);
        if (before !== stateOf(file) || fstatSync(file).size === 0) continue;
        return parseEntries(readFileSync(file, 'utf8'));
      }
      return undefined;
    } finally {
      closeSync(file);
    }
  }

  /** An emptied or cut memory counts, but what was in it is not thrown away with it. */
  #keepAside({ text, entries, copy }: Seen): void {
    const known = parseEntries(copy.text);
    const isCut = entries.length === 0 ? known.length > 0 : entries.some((entry) => !known.includes(entry));
    if (isDoubtful(text, copy) && isCut) writeFileAtomic(`${this.#path}.bak`, copy.text);
  }
}

interface Replaced {
  readonly file: number;
}

/** Empty, or the beginning of what we know: what a save in place looks like before it is done. */
function isDoubtful(text: string, { text: known }: LastCopy): boolean {
  return known.trim() !== '' && text.length < known.length && known.startsWith(text);
}

/** Nothing there, and nothing known that could be missing. */
function isNew({ identity, copy }: Seen): boolean {
  return identity === '' && copy.text === '';
}

/** When the file was last written; undefined for none. */
function savedMs(path: string): number | undefined {
  return statSync(path, { throwIfNoEntry: false })?.mtimeMs;
}

function stateOf(file: number): string {
  const { size, mtimeNs } = fstatSync(file, { bigint: true });
  return `${size}:${mtimeNs}`;
}
