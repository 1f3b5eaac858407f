/** What other programs keep for themselves in folders for temporary files: sockets, and folders that hold them. */
import { type Dirent, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** Names of folders by which terminals, agents of keys, editors and desktops are reached. */
const privateFolder =
  /^(?:tmux-|ssh-|\.?X11-unix|\.ICE-unix|\.Test-unix|\.XIM-unix|\.font-unix|dbus-|vscode-|gpg-|agent\.|pulse-|orbit-|ksocket-|emacs\d|screens?$|uscreens$|S-|systemd-private-|snap-private-tmp|\.org\.chromium\.|com\.apple\.launchd\.|launch-|hermes-(?:local|read|backup|export|message))/;
const maxEntries = 20_000;

export class TemporaryFolders {
  readonly #folders: readonly string[];
  readonly #seen = new Map<string, { readonly changed: number; readonly found: readonly string[] }>();

  constructor(folders: readonly string[]) {
    this.#folders = [...new Set(folders)];
  }

  /** Paths that are for nobody but the programs that made them. A folder that has not changed is not read again. */
  privateEntries(): readonly string[] {
    return this.#folders.flatMap((folder) => {
      const changed = statSync(folder, { throwIfNoEntry: false })?.mtimeMs;
      if (changed === undefined) return [];
      const before = this.#seen.get(folder);
      if (before?.changed === changed) return before.found;
      const found = entriesOf(folder)
        .slice(0, maxEntries)
        .filter((entry) => entry.isSocket() || (entry.isDirectory() && privateFolder.test(entry.name)))
        .map((entry) => join(folder, entry.name));
      this.#seen.set(folder, { changed, found });
      return found;
    });
  }
}

function entriesOf(folder: string): readonly Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    // Not for us to read, then not for our commands either.
    return [];
  }
}
