/** Finds the guarded name of a file that is reached by another one: a bind mount, or a hard link. */

/** What the disk says of a file or directory, and of a link by what it leads to. */
export interface FileIdentity {
  /** Equal for two names of one thing. */
  readonly id: string;
  /** Names that a file has; a directory counts as one. */
  readonly names: number;
}

/** Looks at the disk on behalf of a guard, which itself knows only names. */
export interface Disk {
  /** Undefined when there is nothing. */
  identify(path: string): FileIdentity | undefined;
  /** Names in a directory; none when there is no such directory. */
  list(directory: string): readonly string[];
}

/** A folder with more entries is only looked through that far. */
const maxEntries = 500;

/** Knows what the guarded places are on the disk at the moment at which it is made. */
export class GuardedIdentities {
  readonly #disk: Disk;
  readonly #folders: readonly string[];
  readonly #known = new Map<string, string>();
  readonly #seen = new Map<string, string | undefined>();
  #filesInside: ReadonlyMap<string, string> | undefined;
  #hasLinkedPlace = false;

  /**
   * @param places guarded files and directories
   * @param folders those of them whose files are also known by their hard links
   */
  constructor(disk: Disk, places: readonly string[], folders: readonly string[]) {
    this.#disk = disk;
    this.#folders = folders;
    for (const place of places) {
      const found = disk.identify(place);
      if (found === undefined) continue;
      if (found.names > 1) this.#hasLinkedPlace = true;
      if (!this.#known.has(found.id)) this.#known.set(found.id, place);
    }
  }

  /** False when no guarded file has a second name anywhere, so that no other file needs a look. */
  get haveLinks(): boolean {
    return this.#hasLinkedPlace || this.#inside().size > 0;
  }

  /** The guarded name for a real path that has another one; undefined when there is none. */
  otherName(path: string): string | undefined {
    const found = this.#disk.identify(path);
    if (found !== undefined && found.names > 1) {
      const name = this.#known.get(found.id) ?? this.#inside().get(found.id);
      if (name !== undefined) return name;
    }
    // One look is enough for it.
    if (!this.#seen.has(path)) this.#seen.set(path, found && this.#known.get(found.id));
    for (let end = path.length; end > 0; end = path.lastIndexOf('/', end - 1)) {
      const name = this.#nameOf(path.slice(0, end));
      if (name !== undefined) return name + path.slice(end);
    }
    return undefined;
  }

  /** Many files lie in one directory, so what was seen of one is kept. */
  #nameOf(path: string): string | undefined {
    if (this.#seen.has(path)) return this.#seen.get(path);
    const id = this.#disk.identify(path)?.id;
    const name = id === undefined ? undefined : this.#known.get(id);
    this.#seen.set(path, name);
    return name;
  }

  #inside(): ReadonlyMap<string, string> {
    this.#filesInside ??= new Map(
      this.#folders.flatMap((folder) =>
        this.#disk
          .list(folder)
          .slice(0, maxEntries)
          .flatMap((name): [string, string][] => {
            const found = this.#disk.identify(`${folder}/${name}`);
            return found === undefined || found.names < 2 ? [] : [[found.id, `${folder}/${name}`]];
          }),
      ),
    );
    return this.#filesInside;
  }
}
