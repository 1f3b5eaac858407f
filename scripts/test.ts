/**
 * Runs the tests and shows only what went wrong, and how far it has come. The last line is
 * `N passed, N failed, N skipped`.
 *
 *   node scripts/test.ts                      everything under test/ that takes no longer than it must
 *   node scripts/test.ts --long               the rest: *.long.test.ts, which kill, break and repeat things for minutes
 *   node scripts/test.ts test/llm retry       only files whose path contains one of these words
 *   node scripts/test.ts --name "second try"  only tests whose name matches this pattern
 *   node scripts/test.ts --times              also which files took longest
 *
 * The files are dealt in batches, and a few processes run beside each other: one for each file would load the program
 * hundreds of times. Long tests have the machine for themselves.
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { globSync } from 'node:fs';
import { enableCompileCache } from 'node:module';
import { availableParallelism } from 'node:os';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { dealTests } from './deal-tests.ts';
import { TestReport } from './test-report.ts';
import { type RunEvent, runTests } from './test-run.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const maxProcesses = 4;
/** Tests wait for processes and clocks about as long as they compute. */
const processesPerCore = 2;
/** Fewer files are not worth loading the program twice. */
const minFilesPerProcess = 20;

const { values: flags, positionals: words } = parseArgs({
  allowPositionals: true,
  options: {
    long: { type: 'boolean', default: false },
    name: { type: 'string' },
    times: { type: 'boolean', default: false },
    /** This process runs the files that it is sent. Set by this script itself. */
    batch: { type: 'boolean', default: false },
  },
});
if (flags.batch) {
  const [batch] = (await once(process, 'message')) as [readonly string[]];
  // What the sources are without their types is kept for the next process.
  enableCompileCache(join(root, 'node_modules/.cache/hermes-tests'));
  let sent: Promise<void> = Promise.resolve();
  await runTests(batch, { long: flags.long, name: flags.name }, (event) => {
    sent = new Promise((resolve) => process.send?.(event, () => resolve()));
  });
  await sent;
  process.exit();
}

const files = globSync('test/**/*.test.ts', { cwd: root })
  .filter((file) => file.endsWith('.long.test.ts') === flags.long)
  .filter((file) => words.length === 0 || words.some((word) => file.includes(word.replace(/^\.\//, ''))))
  .sort()
  .map((file) => join(root, file));
const report = new TestReport();
const processes = flags.long
  ? 1
  : Math.max(
      1,
      Math.min(maxProcesses, processesPerCore * availableParallelism(), Math.floor(files.length / minFilesPerProcess)),
    );
const waiting = (files.length === 0 ? [] : dealTests(files, processes)).values();
await Promise.all(
  Array.from({ length: processes }, async () => {
    for (const batch of waiting) await runBatch(batch);
  }),
);
if (flags.times) report.showTimes();
process.exitCode = report.end();

async function runBatch(batch: readonly string[]): Promise<void> {
  // Without NODE_TEST_CONTEXT, in whose presence a runner within a runner does nothing.
  const { NODE_TEST_CONTEXT: _, ...env } = process.env;
  const child = fork(fileURLToPath(import.meta.url), ['--batch', ...process.argv.slice(2)], { env });
  child.send(batch);
  let ended = false;
  child.on('message', (message) => {
    const event = message as RunEvent;
    ended ||= event.kind === 'end';
    report.take(event);
  });
  const code = await new Promise<number | null>((resolve) => child.on('close', resolve));
  if (ended) return;
  const [first, last] = [batch[0], batch.at(-1)].map((file = '') => relative(root, file));
  report.take({
    kind: 'failed',
    text: `A process that ran ${batch.length} files from ${first} to ${last} ended before its tests did (exit code ${code}): something called process.exit(), or killed it.`,
  });
}
