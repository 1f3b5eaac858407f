/** Background tasks in files below the home: what a process that dies leaves unshown, a later one shows. */
import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import { writeFileAtomic } from '../../lib/atomic-file.ts';
import { errorCode } from '../../lib/errors.ts';
import { withFileLock } from '../../lib/file-lock.ts';
import { parseJson } from '../../lib/json.ts';
import { makeDirectories } from '../../lib/make-directories.ts';
import { isDead, ownProcess } from '../../sessions/process-identity.ts';

const kept = z.object({
  id: z.string().regex(/^bg_\d{6}_[0-9a-f]{6}$/),
  number: z.number(),
  prompt: z.string(),
  owner: z.object({ host: z.string(), pid: z.number(), start: z.string().nullable() }),
  /** Absent while it is at work. */
  end: z.object({ completed: z.boolean(), text: z.string() }).optional(),
});

export type KeptTask = z.infer<typeof kept>;
export type TaskEnd = NonNullable<KeptTask['end']>;

/** More than a home ever has; what stands behind them comes with a later start. */
const most = 50;

export class KeptTasks {
  readonly #folder: string;

  constructor(homePath: string) {
    this.#folder = join(homePath, 'cli', 'background');
  }

  /** Throws what the system says. */
  write(task: Omit<KeptTask, 'owner'>): void {
    makeDirectories(this.#folder, 0o700);
    writeFileAtomic(this.#path(task.id), JSON.stringify({ ...task, owner: ownProcess() }));
  }

  /** It was shown. */
  remove(id: string): void {
    rmSync(this.#path(id), { force: true });
  }

  /** Shows what dead processes left, each once, whoever else begins at the same time. */
  async takeLeft(show: (task: KeptTask) => void): Promise<void> {
    if (this.#names().length === 0) return;
    await withFileLock(join(this.#folder, '.lock'), () => {
      const own = ownProcess();
      for (const name of this.#names().slice(0, most)) {
        const task = this.#read(name);
        // A damaged file says of nothing what became of it.
        if (task !== undefined && !isDead(task.owner, own)) continue;
        if (task !== undefined) show(task);
        rmSync(join(this.#folder, name), { force: true });
      }
    });
  }

  #path(id: string): string {
    return join(this.#folder, `${id}.json`);
  }

  #names(): string[] {
    try {
      return readdirSync(this.#folder)
        .filter((name) => name.endsWith('.json'))
        .toSorted();
    } catch (error) {
      if (errorCode(error) === 'ENOENT') return [];
      throw error;
    }
  }

  #read(name: string): KeptTask | undefined {
    return kept.safeParse(parseJson(readFileSync(join(this.#folder, name), 'utf8'))).data;
  }
}
