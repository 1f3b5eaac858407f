/** The variables as they are now: `.env` is read again when it has changed. */
import { statSync } from 'node:fs';
import { join } from 'node:path';
import type { Variables } from '../../config/variables.ts';

/** The same object as long as nothing has changed. */
export class LiveVariables {
  readonly #path: string;
  readonly #reload: () => Variables;
  #seen: string;
  #variables: Variables;

  /** `reload` reads `.env` again. */
  constructor(homePath: string, variables: Variables, reload: () => Variables) {
    this.#path = join(homePath, '.env');
    this.#reload = reload;
    this.#variables = { ...variables };
    this.#seen = this.#look();
  }

  get current(): Variables {
    const seen = this.#look();
    if (seen === this.#seen) return this.#variables;
    this.#seen = seen;
    this.#variables = { ...this.#reload() };
    return this.#variables;
  }

  #look(): string {
    const found = statSync(this.#path, { throwIfNoEntry: false });
    return found === undefined ? '' : `${found.ino} ${found.mtimeMs} ${found.size}`;
  }
}
