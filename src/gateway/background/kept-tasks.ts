/** Which background tasks run, in a file: the next process tells of those that ended with this one. */
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import { writeFileAtomic } from '../../lib/atomic-file.ts';
import { parseJson } from '../../lib/json.ts';
import { makeDirectories } from '../../lib/make-directories.ts';

const task = z.object({
  id: z.string(),
  prompt: z.string(),
  sessionKey: z.string(),
  platform: z.string(),
  chatId: z.string(),
  threadId: z.string().nullable(),
  replyTo: z.string().nullable(),
});

export type KeptTask = z.infer<typeof task>;

export class KeptTasks {
  readonly #folder: string;
  readonly #path: string;

  constructor(homePath: string) {
    this.#folder = join(homePath, 'gateway');
    this.#path = join(this.#folder, 'background-tasks.json');
  }

  /** A damaged file is as none: it cannot say who is to be told. */
  read(): readonly KeptTask[] {
    try {
      return z.array(task).safeParse(parseJson(readFileSync(this.#path, 'utf8'))).data ?? [];
    } catch {
      return [];
    }
  }

  write(tasks: readonly KeptTask[]): void {
    if (tasks.length === 0) return rmSync(this.#path, { force: true });
    makeDirectories(this.#folder, 0o700);
    writeFileAtomic(this.#path, JSON.stringify(tasks));
  }
}
