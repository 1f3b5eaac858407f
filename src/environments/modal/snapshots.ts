/** Which image a sandbox is made from the next time: `modal_snapshots.json` in the home. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import { writeFileAtomic } from '../../lib/atomic-file.ts';
import { errorCode } from '../../lib/errors.ts';

/** An id of an image by `direct:` and the task; very old entries have the task alone. */
const schema = z.record(z.string(), z.unknown());

export class Snapshots {
  readonly #path: string;
  readonly #task: string;

  constructor(homePath: string, task: string) {
    this.#path = join(homePath, 'modal_snapshots.json');
    this.#task = task;
  }

  /** Id of the image to begin with. */
  get(): string | undefined {
    const all = this.#read();
    return [all[`direct:${this.#task}`], all[this.#task]].find(
      (id): id is string => typeof id === 'string' && id !== '',
    );
  }

  /** Undefined forgets it. */
  set(id: string | undefined): void {
    const { [this.#task]: _old, [`direct:${this.#task}`]: _before, ...others } = this.#read();
    const all = id === undefined ? others : { ...others, [`direct:${this.#task}`]: id };
    writeFileAtomic(this.#path, `${JSON.stringify(all, undefined, 2)}\n`);
  }

  /** A file that nobody can read says nothing. */
  #read(): Record<string, unknown> {
    try {
      return schema.parse(JSON.parse(readFileSync(this.#path, 'utf8')));
    } catch (error) {
      const isNone = errorCode(error) === 'ENOENT' || error instanceof SyntaxError || error instanceof z.ZodError;
      if (!isNone) throw error;
      return {};
    }
  }
}
