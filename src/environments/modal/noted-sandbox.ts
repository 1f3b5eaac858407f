/** Which sandbox of the gateway the sessions of a home share: it has no name by which it could be found there. */
import { readFileSync, rmSync } from 'node:fs';
import * as z from 'zod';
import { writeFileAtomic } from '../../lib/atomic-file.ts';
import { errorCode } from '../../lib/errors.ts';

/** One at another address is somebody else's. */
const schema = z.object({ id: z.string().regex(/^[\w.-]{1,200}$/), address: z.string() });

export class NotedSandbox {
  readonly #path: string;
  readonly #address: string;

  /** @param address of the gateway */
  constructor(path: string, address: string) {
    this.#path = path;
    this.#address = address;
  }

  /** A file that nobody can read says nothing. */
  get(): string | undefined {
    try {
      const { id, address } = schema.parse(JSON.parse(readFileSync(this.#path, 'utf8')));
      return address === this.#address ? id : undefined;
    } catch (error) {
      const isNone = errorCode(error) === 'ENOENT' || error instanceof SyntaxError || error instanceof z.ZodError;
      if (!isNone) throw error;
      return undefined;
    }
  }

  set(id: string): void {
    writeFileAtomic(this.#path, `${JSON.stringify({ id, address: this.#address })}\n`);
  }

  clear(): void {
    rmSync(this.#path, { force: true });
  }
}
