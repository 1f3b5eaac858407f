/** Carries exported variables between the shell outside and the one inside, and knows what stays inside. */
import { changesMeaning } from '../../../safety/programs/variables.ts';
import type { ShellKeeper } from '../shell-keeper.ts';
import type { ShellSession } from '../shell-session.ts';
import { type ExportChanges, type Exports, exportChanges, readExports } from './exported-variables.ts';

interface Side {
  readonly shells: ShellKeeper;
  /** The text that `exports` was read from. */
  text: string | undefined;
  exports: Exports | undefined;
}

export class CarriedState {
  readonly #outside: Side;
  readonly #inside: Side;
  /** What the shell inside was given from outside; what differs from it was made inside. */
  #given: Exports = new Map();
  #givenMeanings: string | undefined;
  #isAltered = false;

  constructor(outside: ShellKeeper, inside: ShellKeeper) {
    this.#outside = { shells: outside, text: undefined, exports: undefined };
    this.#inside = { shells: inside, text: undefined, exports: undefined };
  }

  /** True while something inside differs that changes what programs mean. */
  get isAltered(): boolean {
    return this.#isAltered;
  }

  /** How the shell outside is when the one inside starts from it. */
  begin(exports: string): void {
    if (exports !== '') this.#read(this.#outside, exports);
  }

  /** Another network has other variables inside: what those of the last were before, and its own. */
  give(changes: ExportChanges, more: Readonly<Record<string, string>>): void {
    this.#inside.shells.hand(changes);
    const all = new Map([...changes, ...Object.entries(more)]);
    this.#inside.exports = applied(this.#inside.exports, all);
    this.#given = applied(this.#given, all) ?? this.#given;
  }

  /** After a command outside. */
  async takeOutside(shell: ShellSession): Promise<void> {
    const changes = await this.#changesOf(this.#outside, shell);
    if (changes.size === 0) return;
    this.#inside.shells.hand(changes);
    this.#inside.exports = applied(this.#inside.exports, changes);
    this.#given = applied(this.#given, changes) ?? this.#given;
  }

  /** After a command inside. Only what cannot change the meaning of words goes out. */
  async takeInside(shell: ShellSession): Promise<void> {
    const { first } = shell;
    if (first !== undefined && this.#givenMeanings === undefined) {
      this.#givenMeanings = first.meanings;
      this.#given = readExports(first.exports);
    }
    const changes = await this.#changesOf(this.#inside, shell);
    const carried = new Map([...changes].filter(([name]) => !changesMeaning(name)));
    if (carried.size > 0) {
      this.#outside.shells.hand(carried);
      this.#outside.exports = applied(this.#outside.exports, carried);
    }
    const { meanings } = await shell.surroundings();
    const differing = exportChanges(this.#given, this.#inside.exports ?? this.#given);
    this.#isAltered = meanings !== this.#givenMeanings || [...differing.keys()].some(changesMeaning);
  }

  async #changesOf(side: Side, shell: ShellSession): Promise<ExportChanges> {
    const { exports } = await shell.surroundings();
    if (side.exports === undefined) this.#read(side, shell.first?.exports ?? exports);
    if (side.text === exports || side.exports === undefined) return new Map();
    const before = side.exports;
    return exportChanges(before, this.#read(side, exports));
  }

  #read(side: Side, text: string): Exports {
    const exports = readExports(text);
    side.text = text;
    side.exports = exports;
    return exports;
  }
}

function applied(exports: Exports | undefined, changes: ExportChanges): Exports | undefined {
  if (exports === undefined) return undefined;
  const after = new Map(exports);
  for (const [name, value] of changes) {
    if (value === undefined) after.delete(name);
    else after.set(name, value);
  }
  return after;
}
