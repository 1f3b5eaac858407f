/** The password for `sudo` that a person typed. */

/** What a session remembers of it; never stored. */
export class SudoPassword {
  #given: string | undefined;

  get given(): string | undefined {
    return this.#given;
  }

  remember(password: string): void {
    this.#given = password;
  }

  /** False when there was none. */
  forget(): boolean {
    const had = this.#given !== undefined;
    this.#given = undefined;
    return had;
  }
}
