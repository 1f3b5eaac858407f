/** Commands that the sandbox kept from something: given again, they are asked about instead of failing again. */

const maxCommands = 64;

export class WithheldCommands {
  readonly #wants = new Map<string, string>();

  /** What the command was kept from when it ran last in this directory, in words. */
  wantOf(command: string, directory: string): string | undefined {
    return this.#wants.get(keyOf(command, directory));
  }

  remember(command: string, directory: string, want: string): void {
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
