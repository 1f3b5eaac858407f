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
 * The files are dealt to one process for each core. A process for each file would load the program hundreds of times.
 * Long tests have the machine for themselves.
 */
import { fork } from 'node:child_process';
import { globSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
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
    /** `2/3`: this process is the second of three. Set by this script itself. */
    part: { type: 'string' },
  },
});
const files = globSync('test/**/*.test.ts', { cwd: root })
  .filter((file) => file.endsWith('.long.test.ts') === flags.long)
  .filter((file) => words.length === 0 || words.some((word) => file.includes(word.replace(/^\.\//, ''))))
  .sort()
  .map((file) => join(root, file));

if (flags.part !== undefined) {
  const [number = 1, of = 1] = flags.part.split('/').map(Number);
  const dealt = dealTests(files, of)[number - 1] ?? [];
  let sent: Promise<void> = Promise.resolve();
  await runTests(dealt, { long: flags.long, name: flags.name }, (event) => {
    sent = new Promise((resolve) => process.send?.(event, () => resolve()));
  });
  await sent;
  process.exit();
}

const report = new TestReport();
const processes = flags.long
  ? 1
  : Math.max(
      1,
      Math.min(maxProcesses, processesPerCore * availableParallelism(), Math.floor(files.length / minFilesPerProcess)),
    );
if (files.length > 0) {
  await Promise.all(Array.from({ length: processes }, (_, index) => runPart(`${index + 1}/${processes}`)));
}
if (flags.times) report.showTimes();
process.exitCode = report.end();

async function runPart(part: string): Promise<void> {
  // Without NODE_TEST_CONTEXT, in whose presence a runner within a runner does nothing.
  const { NODE_TEST_CONTEXT: _, ...env } = process.env;
  const child = fork(fileURLToPath(import.meta.url), ['--part', part, ...process.argv.slice(2)], { env });
  let ended = false;
  child.on('message', (message) => {
    const event = message as RunEvent;
    ended ||= event.kind === 'end';
    report.take(event);
  });
  const code = await new Promise<number | null>((resolve) => child.on('close', resolve));
  if (ended) return;
  report.take({
    kind: 'failed',
    text: `Part ${part} of the run ended before its tests did (exit code ${code}): something called process.exit(), or killed it.`,
  });
}
