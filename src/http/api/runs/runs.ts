/** The runs that are known: those that run, and for an hour those that are over. */
import { HttpError } from '../../answers.ts';
import type { Run } from './run.ts';
import type { RunHuman } from './run-human.ts';

export interface KnownRun {
  readonly run: Run;
  readonly human: RunHuman;
}

const keptSeconds = 3600;
const maxOver = 500;
const maxOverChars = 50_000_000;

export class Runs {
  readonly #runs = new Map<string, KnownRun>();

  add(known: KnownRun): void {
    this.#forget();
    this.#runs.set(known.run.id, known);
  }

  /** Throws `HttpError`. */
  get(id: string): KnownRun {
    this.#forget();
    const known = this.#runs.get(id);
    if (known !== undefined) return known;
    throw new HttpError(404, `Run not found: ${id.slice(0, 100)}`, { code: 'run_not_found' });
  }

  #forget(): void {
    const over = [...this.#runs.values()].filter(({ run }) => run.isOver);
    const since = Date.now() / 1000 - keptSeconds;
    let kept = 0;
    let chars = 0;
    for (const { run } of over.toReversed()) {
      kept += 1;
      chars += run.size;
      if (run.updatedAt < since || kept > maxOver || chars > maxOverChars) this.#runs.delete(run.id);
    }
  }
}
