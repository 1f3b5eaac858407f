/** What the owner lets run without a question, as a session knows it: the configuration's list and what was added since. */
import { type AllowEntry, allowEntryKey, withEntry } from '../../safety/allow-entry.ts';

export class AllowedCommands {
  #entries: readonly AllowEntry[];

  /** `entries` is `approvals.allow` as it was loaded. */
  constructor(entries: readonly AllowEntry[]) {
    this.#entries = entries;
  }

  get entries(): readonly AllowEntry[] {
    return this.#entries;
  }

  add(entry: AllowEntry): void {
    this.#entries = withEntry(this.#entries, entry);
  }

  includes(entry: AllowEntry): boolean {
    const key = allowEntryKey(entry);
    return this.#entries.some((known) => allowEntryKey(known) === key);
  }

  /** The list as it stands in the configuration now: what was taken back there counts no more. */
  replace(entries: readonly AllowEntry[]): void {
    this.#entries = entries;
  }
}
