/**
 * Runs the tests in one process and shows only what went wrong. The last line is `N passed, N failed, N skipped`.
 *
 *   node scripts/test.ts                      everything under test/
 *   node scripts/test.ts test/llm retry       only files whose path contains one of these words
 *   node scripts/test.ts --name "second try"  only tests whose name matches this pattern
 */
import { globSync } from 'node:fs';
import { join, relative } from 'node:path';
import { run } from 'node:test';
import { fileURLToPath } from 'node:url';
import { inspect, parseArgs } from 'node:util';

const root = fileURLToPath(new URL('..', import.meta.url));
/** Limit of a test that sets none of its own. */
const testTimeoutMs = 60_000;
/** So long after the last test something left open is called a leak. */
const leakAfterMs = 10_000;
const maxErrorLines = 60;

interface TestEnd {
  readonly name: string;
  readonly file?: string;
  readonly line?: number;
  readonly skip?: string | boolean;
  readonly todo?: string | boolean;
  readonly details: { readonly type?: string; readonly error?: Error & { failureType?: unknown } };
}

const { values: flags, positionals: words } = parseArgs({
  allowPositionals: true,
  options: { name: { type: 'string' } },
});
const counts = { passed: 0, failed: 0, skipped: 0 };
const skipReasons = new Map<string, number>();
const unfinished = new Set<number>();
let lastEventAt = performance.now();
let reported = false;

process.on('exit', () => {
  if (reported) return;
  fail('The run ended before its tests did: something called process.exit().');
  report();
});

const files = globSync('test/**/*.test.ts', { cwd: root })
  .filter((file) => words.length === 0 || words.some((word) => file.includes(word.replace(/^\.\//, ''))))
  .sort()
  .map((file) => join(root, file));
if (files.length > 0) await runFiles();
report();
process.exit();

async function runFiles(): Promise<void> {
  const stream = run({
    files,
    isolation: 'none',
    timeout: testTimeoutMs,
    ...(flags.name === undefined ? {} : { testNamePatterns: new RegExp(flags.name, 'i') }),
  });
  const watch = setInterval(endWhenLeaking, 1000);
  watch.unref();
  for await (const { type, data } of stream) {
    lastEventAt = performance.now();
    if (type === 'test:enqueue') unfinished.add(data.testId);
    else if (type === 'test:complete') unfinished.delete(data.testId);
    else if (type === 'test:pass') countPass(data as TestEnd);
    else if (type === 'test:fail') countFailure(data as TestEnd);
    // What a test throws after its end reaches us only in this form.
    else if (type === 'test:diagnostic' && data.message.startsWith('Error: ')) fail(data.message);
  }
}

function countPass(test: TestEnd): void {
  if (test.details.type === 'suite') return;
  // Node counts a file without tests as a test that passed.
  if (test.file !== undefined && test.name === test.file) {
    if (flags.name === undefined) fail(`${relative(root, test.file)} holds no test.`);
    return;
  }
  const skip = test.skip ?? test.todo;
  if (skip === undefined || skip === false) {
    counts.passed += 1;
    return;
  }
  counts.skipped += 1;
  const reason = typeof skip === 'string' && skip !== '' ? skip : 'no reason given';
  skipReasons.set(reason, (skipReasons.get(reason) ?? 0) + 1);
}

function countFailure(test: TestEnd): void {
  const { error } = test.details;
  // A parent fails with its parts; the parts have been shown.
  if (error?.failureType === 'subtestsFailed') return;
  if (test.todo !== undefined && test.todo !== false) return countPass(test);
  const place = test.file === undefined ? '' : ` (${relative(root, test.file)}:${test.line ?? 1})`;
  fail(`${test.name}${place}\n${describe(error?.cause ?? error)}`);
}

/** The error with its difference, its own stack and its causes, without the lines that belong to Node. */
function describe(error: unknown): string {
  if (!(error instanceof Error)) return `    ${typeof error === 'string' ? error : inspect(error)}`;
  const lines = (error.stack ?? error.message).split('\n').filter((line) => !/^\s+at .*\bnode:/.test(line));
  if (lines.length > maxErrorLines) lines.splice(maxErrorLines, Infinity, '…');
  const text = lines.map((line) => `    ${line}`.trimEnd()).join('\n');
  return error.cause === undefined ? text : `${text}\n    caused by:\n${describe(error.cause)}`;
}

function fail(text: string): void {
  counts.failed += 1;
  process.stdout.write(`\n✖ ${text}\n`);
}

/** Node waits for ever for what a test left open; this names it instead. */
function endWhenLeaking(): void {
  const ended = unfinished.size === 0 && counts.passed + counts.failed + counts.skipped > 0;
  if (!ended || performance.now() - lastEventAt < leakAfterMs) return;
  const open = process.getActiveResourcesInfo().filter((name) => !/TTYWrap|PipeWrap/.test(name));
  fail(`All tests ended, but something they opened is still open: ${open.join(', ')}`);
  report();
  process.exit();
}

function report(): void {
  reported = true;
  for (const [reason, count] of skipReasons) process.stdout.write(`skipped ${count}: ${reason}\n`);
  const { passed, failed, skipped } = counts;
  if (passed + failed === 0) process.stdout.write('No test ran.\n');
  process.exitCode = failed > 0 || passed === 0 ? 1 : 0;
  process.stdout.write(`${passed} passed, ${failed} failed, ${skipped} skipped\n`);
}
