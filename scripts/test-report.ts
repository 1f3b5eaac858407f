/** What a person sees of a run of tests: how far it has come, what went wrong, and the counts as its last line. */
import type { RunEvent } from './test-run.ts';

/** Where no line can be renewed, the next one is due after so many tests or so much time. */
const progressEvery = { tests: 100, ms: 10_000 } as const;
const slowestShown = 25;

export class TestReport {
  readonly #out = process.stdout;
  readonly #counts = { passed: 0, failed: 0, skipped: 0 };
  readonly #skipReasons = new Map<string, number>();
  readonly #msOfFiles = new Map<string, number>();
  #shownTests = 0;
  #shownAt = performance.now();
  #drawn = false;

  take(event: RunEvent): void {
    switch (event.kind) {
      case 'passed':
        this.#counts.passed += 1;
        break;
      case 'skipped':
        this.#counts.skipped += 1;
        this.#skipReasons.set(event.reason, (this.#skipReasons.get(event.reason) ?? 0) + 1);
        break;
      case 'failed':
        this.#counts.failed += 1;
        this.#clear();
        this.#out.write(`\n✖ ${event.text}\n`);
        break;
      case 'progress':
        this.#showProgress(event.file);
        break;
      case 'took':
        this.#msOfFiles.set(event.file, (this.#msOfFiles.get(event.file) ?? 0) + event.ms);
        break;
      case 'end':
        break;
    }
  }

  /** Prints the counts. Returns the exit code: a run that is not entirely good must never look like one. */
  end(): 0 | 1 {
    this.#clear();
    for (const [reason, count] of this.#skipReasons) this.#out.write(`skipped ${count}: ${reason}\n`);
    const { passed, failed, skipped } = this.#counts;
    if (passed + failed === 0) this.#out.write('No test ran.\n');
    this.#out.write(`${passed} passed, ${failed} failed, ${skipped} skipped\n`);
    return failed > 0 || passed === 0 ? 1 : 0;
  }

  /** Prints which files took longest; several run beside each other. */
  showTimes(): void {
    this.#clear();
    const slowest = [...this.#msOfFiles].toSorted(([, one], [, other]) => other - one).slice(0, slowestShown);
    for (const [file, ms] of slowest) this.#out.write(`${(ms / 1000).toFixed(1).padStart(7)} s  ${file}\n`);
  }

  #showProgress(file: string): void {
    const ended = this.#counts.passed + this.#counts.failed + this.#counts.skipped;
    const now = performance.now();
    const due = this.#out.isTTY
      ? now - this.#shownAt > 100
      : ended - this.#shownTests >= progressEvery.tests || now - this.#shownAt >= progressEvery.ms;
    if (!due || (ended === this.#shownTests && !this.#out.isTTY)) return;
    this.#shownTests = ended;
    this.#shownAt = now;
    const line = `… ${ended} tests, now ${file}`;
    if (this.#out.isTTY) this.#out.write(`\r\x1b[2K${line.slice(0, (this.#out.columns ?? 80) - 1)}`);
    else this.#out.write(`${line}\n`);
    this.#drawn = this.#out.isTTY;
  }

  /** Makes room for lines that stay. */
  #clear(): void {
    if (this.#drawn) this.#out.write('\r\x1b[2K');
    this.#drawn = false;
  }
}
