/** Who of this machine uses a host that several sessions share: the last one leaves it as the settings want it left. */
import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isRunning } from '../../lib/is-running.ts';

export class HostUsers {
  readonly #directory: string;
  /** One file a user, named after its process. */
  readonly #own = `${process.pid}-${randomBytes(4).toString('hex')}`;
  #isIn = false;

  /** @param directory of one host; on this machine only */
  constructor(directory: string) {
    this.#directory = directory;
  }

  enter(): void {
    if (this.#isIn) return;
    mkdirSync(this.#directory, { recursive: true });
    writeFileSync(join(this.#directory, this.#own), '');
    this.#isIn = true;
  }

  /** Returns whether nobody is left. */
  leave(): boolean {
    if (!this.#isIn) return false;
    this.#isIn = false;
    rmSync(join(this.#directory, this.#own), { force: true });
    // Whoever was killed did not say good-bye.
    const names = existsSync(this.#directory) ? readdirSync(this.#directory) : [];
    const others = names.filter((name) => isRunning(Number.parseInt(name, 10)));
    if (others.length === 0) rmSync(this.#directory, { recursive: true, force: true });
    return others.length === 0;
  }
}
