/** Commands that the sandbox kept from something: given again, they are asked about instead of failing again. */

const maxCommands = 64;

export interface Want {
  /** What the command was kept from, in words. */
  readonly words: string;
  /** Where it was kept from hosts and from nothing else: these, as `host:port`. */
  readonly hosts: readonly string[];
  /** It would leave something that is there to stay, or talk to somebody. */
  readonly lasts: boolean;
}

export class WithheldCommands {
  readonly #wants = new Map<string, Want>();

  /** What the command was kept from when it ran last in this directory. */
  wantOf(command: string, directory: string): Want | undefined {
    return this.#wants.get(keyOf(command, directory));
  }

  remember(command: string, directory: string, want: Want): void {
    this.forget(command, directory);
    this.#wants.set(keyOf(command, directory), want);
    const [oldest] = this.#wants.keys();
    if (this.#wants.size > maxCommands && oldest !== undefined) this.#wants.delete(oldest);
  }

  forget(command: string, directory: string): void {
    this.#wants.delete(keyOf(command, directory));
  }
}

function keyOf(command: string, directory: string): string {
  return JSON.stringify([command.trim(), directory]);
}
