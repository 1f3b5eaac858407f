/** Where no sandbox can be had: told once a session, to the person at once and to the model with its command. */

export class UnconfinedNotice {
  /** Tells the person one line; whoever opens the session sets it. Must not throw. */
  tell: (line: string) => void = () => undefined;
  #told = false;
  #note: string | undefined;

  /** A command that a sandbox should have held runs without one. `problem`: why there is none, and what to do. */
  fellBack(problem: string): void {
    if (this.#told) return;
    this.#told = true;
    this.tell(`Commands run with all your rights, because there is no sandbox for them here: ${problem}`);
    this.#note = `There is no sandbox for commands here, so this one ran with all rights of the user: ${problem}`;
  }

  /** For the model, once. */
  takeNote(): string | undefined {
    const note = this.#note;
    this.#note = undefined;
    return note;
  }
}
