/** What the tests of environments share: a clean home, a way to run, and a look at living processes. */
import { mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Environment, RunOptions, RunResult } from '../../src/environments/environment.ts';
import {
  createLocalEnvironment,
  type LocalEnvironmentOptions,
} from '../../src/environments/local/local-environment.ts';

export function makeDirectory(t: TestContext): string {
  const directory = realpathSync(mkdtempSync(join(tmpdir(), 'hermes-test-')));
  t.after(() => rmSync(directory, { recursive: true, force: true }));
  return directory;
}

export interface Workplace {
  readonly environment: Environment;
  readonly directory: string;
  readonly run: (command: string, options?: Partial<RunOptions>) => Promise<RunResult>;
}

/** An environment in a directory of its own, which is also the user's home; closed after the test. */
export function makeWorkplace(t: TestContext, options: Partial<LocalEnvironmentOptions> = {}): Workplace {
  const directory = makeDirectory(t);
  const environment = createLocalEnvironment({
    cwd: directory,
    env: { HOME: directory, PATH: process.env['PATH'], LANG: 'C.UTF-8' },
    sessionId: 'session-1',
    homePath: join(directory, '.hermes'),
    ...options,
  });
  t.after(() => environment.close());
  return { environment, directory, run: (command, more) => environment.run(command, runOptions(more)) };
}

function runOptions(options: Partial<RunOptions> = {}): RunOptions {
  return { timeoutMs: 20_000, signal: new AbortController().signal, ...options };
}

/** A `sleep` that no other test and no other run has. */
export function uniqueSleep(): string {
  return `sleep 9${Math.floor(Math.random() * 1e12)}`;
}

/** Living processes whose command line contains the text. A zombie has none. */
export function living(text: string): string[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => commandLine(pid).includes(text));
}

export async function until(
  condition: () => boolean | Promise<boolean>,
  what: string,
  limitMs = 10_000,
): Promise<void> {
  const deadline = Date.now() + limitMs;
  while (!(await condition())) {
    if (Date.now() > deadline) throw new Error(`It did not happen in ${limitMs} ms: ${what}`);
    await sleep(10);
  }
}

function commandLine(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ');
  } catch {
    return '';
  }
}
