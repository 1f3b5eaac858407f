/** One run of test files in this process, told in events to whoever shows it. */
import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { inspect } from 'node:util';
import { configureGlobal } from 'fast-check';
import { followNoPromises } from './follow-no-promises.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
/** Limit of a test that sets none of its own: it names what hangs, and a loaded machine must not reach it. */
const testTimeoutMs = { short: 180_000, long: 900_000 } as const;
/** So long after the last test something left open is called a leak. */
const leakAfterMs = 10_000;
/** Properties are tried with the same values in every run: a test that fails by chance stops everybody's work. */
const seed = 20_261_122;
/** Of a long error the beginning is kept, and the end: of a screen that is what was last on it. */
const errorLines = { first: 20, last: 40 } as const;

/** What a run tells: plain data, so that it can come from another process. */
export type RunEvent =
  /** One more test has begun or passed in `file` (relative to the checkout). */
  | { readonly kind: 'progress'; readonly file: string }
  | { readonly kind: 'passed' }
  /** A test, or a suite, that `file` holds at its top took so many milliseconds. */
  | { readonly kind: 'took'; readonly file: string; readonly ms: number }
  | { readonly kind: 'skipped'; readonly reason: string }
  | { readonly kind: 'failed'; readonly text: string }
  /** The last event: every test has ended. */
  | { readonly kind: 'end' };

interface TestEnd {
  readonly name: string;
  readonly file?: string;
  readonly line?: number;
  readonly skip?: string | boolean;
  readonly todo?: string | boolean;
  readonly nesting: number;
  readonly details: {
    readonly type?: string;
    readonly duration_ms: number;
    readonly error?: Error & { failureType?: unknown };
  };
}

/** Runs absolute `files`, and returns when all their tests have ended, or something they left open was named. */
export async function runTests(
  files: readonly string[],
  options: { readonly long: boolean; readonly name: string | undefined },
  tell: (event: RunEvent) => void,
): Promise<void> {
  configureGlobal({ seed });
  followNoPromises();
  /** Errors that nothing awaited, of which the runner tells the message alone. */
  const loose: unknown[] = [];
  process.on('uncaughtExceptionMonitor', (error) => loose.push(error));
  process.on('unhandledRejection', (reason) => loose.push(reason));
  const { run } = await import('node:test');
  const unfinished = new Set<number>();
  let ended = 0;
  let lastEventAt = performance.now();
  const leak = Promise.withResolvers<void>();
  /** Node waits for ever for what a test left open; this names it instead. */
  setInterval(() => {
    if (unfinished.size > 0 || ended === 0 || performance.now() - lastEventAt < leakAfterMs) return;
    const open = process.getActiveResourcesInfo().filter((name) => !/TTYWrap|PipeWrap/.test(name));
    const [first = '', last = ''] = [files[0], files.at(-1)].map((file = '') => relative(root, file));
    const where = files.length === 1 ? first : `${files.length} files from ${first} to ${last}`;
    tell({
      kind: 'failed',
      text: `All tests of ${where} ended, but something they opened is still open: ${open.join(', ')}`,
    });
    leak.resolve();
  }, 1000).unref();
  const { long, name } = options;
  const stream = run({
    files: [...files],
    isolation: 'none',
    timeout: long ? testTimeoutMs.long : testTimeoutMs.short,
    ...(name === undefined ? {} : { testNamePatterns: new RegExp(name, 'i') }),
  });
  const finished = (async () => {
    for await (const { type, data } of stream) {
      lastEventAt = performance.now();
      if (type === 'test:enqueue') unfinished.add(data.testId);
      else if (type === 'test:complete') unfinished.delete(data.testId);
      else if (type === 'test:pass' || type === 'test:fail') {
        for (const event of type === 'test:pass' ? passed(data, name) : failed(data)) {
          tell(event);
          ended += 1;
        }
        if (data.nesting === 0 && data.file !== undefined) {
          tell({ kind: 'took', file: relative(root, data.file), ms: data.details.duration_ms });
        }
      }
      // What a test throws after its end reaches us only in this form.
      else if (type === 'test:diagnostic' && data.message.startsWith('Error: ')) {
        const error = loose.find((each) => data.message.includes(`"${String(each)}"`));
        tell({ kind: 'failed', text: error === undefined ? data.message : `nothing awaited this\n${describe(error)}` });
      }
      if ((type === 'test:start' || type === 'test:pass') && data.file !== undefined) {
        tell({ kind: 'progress', file: relative(root, data.file) });
      }
    }
  })();
  await Promise.race([finished, leak.promise]);
  tell({ kind: 'end' });
}

function passed(test: TestEnd, onlyName: string | undefined): RunEvent[] {
  if (test.details.type === 'suite') return [];
  // Node counts a file without tests as a test that passed.
  if (test.file !== undefined && test.name === test.file) {
    return onlyName === undefined ? [{ kind: 'failed', text: `${relative(root, test.file)} holds no test.` }] : [];
  }
  const skip = test.skip ?? test.todo;
  if (skip === undefined || skip === false) return [{ kind: 'passed' }];
  return [{ kind: 'skipped', reason: typeof skip === 'string' && skip !== '' ? skip : 'no reason given' }];
}

function failed(test: TestEnd): RunEvent[] {
  const { error } = test.details;
  // A parent fails with its parts; the parts have been shown.
  if (error?.failureType === 'subtestsFailed') return [];
  if (test.todo !== undefined && test.todo !== false) return passed(test, undefined);
  const place = test.file === undefined ? '' : ` (${relative(root, test.file)}:${test.line ?? 1})`;
  return [{ kind: 'failed', text: `${test.name}${place}\n${describe(error?.cause ?? error)}` }];
}

/** The error with its difference, its own stack and its causes, without the lines that belong to Node. */
function describe(error: unknown): string {
  if (!(error instanceof Error)) return `    ${typeof error === 'string' ? error : inspect(error)}`;
  const lines = (error.stack ?? error.message).split('\n').filter((line) => !/^\s+at .*\bnode:/.test(line));
  const { first, last } = errorLines;
  if (lines.length > first + last) lines.splice(first, lines.length - first - last, '…');
  const text = lines.map((line) => `    ${line}`.trimEnd()).join('\n');
  return error.cause === undefined ? text : `${text}\n    caused by:\n${describe(error.cause)}`;
}
