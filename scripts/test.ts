/**
 * Runs the tests in one process and shows only what went wrong, and how far it has come. The last line is
 * `N passed, N failed, N skipped`.
 *
 *   node scripts/test.ts                      everything under test/ that takes no longer than it must
 *   node scripts/test.ts --long               the rest: *.long.test.ts, which kill, break and repeat things for minutes
 *   node scripts/test.ts test/llm retry       only files whose path contains one of these words
 *   node scripts/test.ts --name "second try"  only tests whose name matches this pattern
 */
import { globSync } from 'node:fs';
import { join, relative } from 'node:path';
import { run } from 'node:test';
import { fileURLToPath } from 'node:url';
import { inspect, parseArgs } from 'node:util';
import { configureGlobal } from 'fast-check';

const root = fileURLToPath(new URL('..', import.meta.url));
/** Limit of a test that sets none of its own. */
const testTimeoutMs = { short: 60_000, long: 900_000 } as const;
/** So long after the last test something left open is called a leak. */
const leakAfterMs = 10_000;
/** Properties are tried with the same values in every run: a test that fails by chance stops everybody's work. */
const seed = 20_261_122;
const maxErrorLines = 60;
/** Where no line can be renewed, the next one is due after so many tests or so much time. */
const progressEvery = { tests: 100, ms: 10_000 } as const;

interface TestEnd {
  readonly name: string;
  readonly file?: string;
  readonly line?: number;
  readonly skip?: string | boolean;
  readonly todo?: string | boolean;
  readonly details: { readonly type?: string; readonly error?: Error & { failureType?: unknown } };
}

/** How far a run has come: one line that is renewed on a terminal, now and then a new line elsewhere. */
class Progress {
  readonly #out = process.stdout;
  #file = '';
  #shownTests = 0;
  #shownAt = performance.now();
  #drawn = false;

  /** `ended` tests have ended, the last of them in `file`. */
  update(ended: number, file: string | undefined): void {
    if (file !== undefined) this.#file = relative(root, file);
    const now = performance.now();
    const due = this.#out.isTTY
      ? now - this.#shownAt > 100
      : ended - this.#shownTests >= progressEvery.tests || now - this.#shownAt >= progressEvery.ms;
    if (!due || (ended === this.#shownTests && !this.#out.isTTY)) return;
    this.#shownTests = ended;
    this.#shownAt = now;
    const line = `… ${ended} tests, now ${this.#file}`;
    if (this.#out.isTTY) this.#out.write(`\r\x1b[2K${line.slice(0, (this.#out.columns ?? 80) - 1)}`);
    else this.#out.write(`${line}\n`);
    this.#drawn = this.#out.isTTY;
  }

  /** Makes room for lines that stay. */
  clear(): void {
    if (this.#drawn) this.#out.write('\r\x1b[2K');
    this.#drawn = false;
  }
}

class TestRun {
  readonly #files: string[];
  readonly #options: { readonly long: boolean; readonly name: string | undefined };
  readonly #counts = { passed: 0, failed: 0, skipped: 0 };
  readonly #skipReasons = new Map<string, number>();
  readonly #unfinished = new Set<number>();
  readonly #progress = new Progress();
  #lastEventAt = performance.now();
  #reported = false;

  constructor(files: string[], options: { readonly long: boolean; readonly name: string | undefined }) {
    this.#files = files;
    this.#options = options;
    process.on('exit', () => {
      if (this.#reported) return;
      this.#fail('The run ended before its tests did: something called process.exit().');
      this.#report();
    });
  }

  async run(): Promise<void> {
    const { long, name } = this.#options;
    if (this.#files.length === 0) return this.#report();
    const stream = run({
      files: this.#files,
      isolation: 'none',
      timeout: long ? testTimeoutMs.long : testTimeoutMs.short,
      ...(name === undefined ? {} : { testNamePatterns: new RegExp(name, 'i') }),
    });
    setInterval(() => this.#endWhenLeaking(), 1000).unref();
    for await (const { type, data } of stream) {
      this.#lastEventAt = performance.now();
      if (type === 'test:enqueue') this.#unfinished.add(data.testId);
      else if (type === 'test:complete') this.#unfinished.delete(data.testId);
      else if (type === 'test:pass') this.#countPass(data as TestEnd);
      else if (type === 'test:fail') this.#countFailure(data as TestEnd);
      // What a test throws after its end reaches us only in this form.
      else if (type === 'test:diagnostic' && data.message.startsWith('Error: ')) this.#fail(data.message);
      if (type === 'test:start' || type === 'test:pass') this.#progress.update(this.#ended, data.file);
    }
    this.#report();
  }

  get #ended(): number {
    return this.#counts.passed + this.#counts.failed + this.#counts.skipped;
  }

  #countPass(test: TestEnd): void {
    if (test.details.type === 'suite') return;
    // Node counts a file without tests as a test that passed.
    if (test.file !== undefined && test.name === test.file) {
      if (this.#options.name === undefined) this.#fail(`${relative(root, test.file)} holds no test.`);
      return;
    }
    const skip = test.skip ?? test.todo;
    if (skip === undefined || skip === false) {
      this.#counts.passed += 1;
      return;
    }
    this.#counts.skipped += 1;
    const reason = typeof skip === 'string' && skip !== '' ? skip : 'no reason given';
    this.#skipReasons.set(reason, (this.#skipReasons.get(reason) ?? 0) + 1);
  }

  #countFailure(test: TestEnd): void {
    const { error } = test.details;
    // A parent fails with its parts; the parts have been shown.
    if (error?.failureType === 'subtestsFailed') return;
    if (test.todo !== undefined && test.todo !== false) return this.#countPass(test);
    const place = test.file === undefined ? '' : ` (${relative(root, test.file)}:${test.line ?? 1})`;
    this.#fail(`${test.name}${place}\n${describe(error?.cause ?? error)}`);
  }

  #fail(text: string): void {
    this.#counts.failed += 1;
    this.#progress.clear();
    process.stdout.write(`\n✖ ${text}\n`);
  }

  /** Node waits for ever for what a test left open; this names it instead. */
  #endWhenLeaking(): void {
    const ended = this.#unfinished.size === 0 && this.#ended > 0;
    if (!ended || performance.now() - this.#lastEventAt < leakAfterMs) return;
    const open = process.getActiveResourcesInfo().filter((name) => !/TTYWrap|PipeWrap/.test(name));
    this.#fail(`All tests ended, but something they opened is still open: ${open.join(', ')}`);
    this.#report();
    process.exit();
  }

  #report(): void {
    this.#reported = true;
    this.#progress.clear();
    for (const [reason, count] of this.#skipReasons) process.stdout.write(`skipped ${count}: ${reason}\n`);
    const { passed, failed, skipped } = this.#counts;
    if (passed + failed === 0) process.stdout.write('No test ran.\n');
    process.exitCode = failed > 0 || passed === 0 ? 1 : 0;
    process.stdout.write(`${passed} passed, ${failed} failed, ${skipped} skipped\n`);
  }
}

/** The error with its difference, its own stack and its causes, without the lines that belong to Node. */
function describe(error: unknown): string {
  if (!(error instanceof Error)) return `    ${typeof error === 'string' ? error : inspect(error)}`;
  const lines = (error.stack ?? error.message).split('\n').filter((line) => !/^\s+at .*\bnode:/.test(line));
  if (lines.length > maxErrorLines) lines.splice(maxErrorLines, Infinity, '…');
  const text = lines.map((line) => `    ${line}`.trimEnd()).join('\n');
  return error.cause === undefined ? text : `${text}\n    caused by:\n${describe(error.cause)}`;
}

configureGlobal({ seed });

const { values: flags, positionals: words } = parseArgs({
  allowPositionals: true,
  options: { long: { type: 'boolean', default: false }, name: { type: 'string' } },
});
const files = globSync('test/**/*.test.ts', { cwd: root })
  .filter((file) => file.endsWith('.long.test.ts') === flags.long)
  .filter((file) => words.length === 0 || words.some((word) => file.includes(word.replace(/^\.\//, ''))))
  .sort()
  .map((file) => join(root, file));
await new TestRun(files, { long: flags.long, name: flags.name }).run();
process.exit();
