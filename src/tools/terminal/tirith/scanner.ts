/** Tirith, a scanner of commands by somebody else (https://github.com/sheeki03/tirith), once for a process. */
import { randomUUID } from 'node:crypto';
import { delimiter, join } from 'node:path';
import { searchPathOf } from '../../../environments/local/search-path.ts';
import { isExecutable } from '../../../lib/is-executable.ts';
import type { Log } from '../../../lib/log.ts';
import { type Finding, scanned } from '../../../safety/finding.ts';

export interface ScannerOptions {
  readonly homePath: string;
  readonly userHome: string;
  /** What the program gets to see of an environment. */
  readonly env: () => Readonly<Record<string, string>>;
  readonly enabled: boolean;
  /** `tirith` is looked for; anything else is used as it is, and never downloaded. */
  readonly path: string;
  readonly timeoutSeconds: number;
  /** What cannot be scanned is let through; otherwise it is asked about. */
  readonly failOpen: boolean;
  /** Brings the program into the home; absent: it is not to be installed. */
  readonly install?: ((signal: AbortSignal) => Promise<void>) | undefined;
  readonly log: Log;
}

/** After so many in a row it is not run any more in this process. */
const maxFailures = 3;
const maxOutputChars = 200_000;
/** How long it counts as missing before it is looked for again. */
const missingMs = 60_000;

/** Looks for nothing before the first command, and costs nothing where there is no such program. */
export class CommandScanner {
  readonly #options: ScannerOptions;
  readonly #closed = new AbortController();
  #program: string | undefined;
  #missingUntil = 0;
  #installing: Promise<void> | undefined;
  #failures = 0;

  constructor(options: ScannerOptions) {
    this.#options = options;
  }

  /** What there is against the command. Never rejects. */
  async scan(command: string): Promise<readonly Finding[]> {
    const { enabled } = this.#options;
    if (!enabled) return [];
    const program = this.#find();
    if (program === undefined) {
      this.#beginInstall();
      return this.#unscanned(
        'tirith-import-error',
        'the scanner tirith is not there (security.tirith_fail_open: false)',
      );
    }
    if (this.#failures >= maxFailures) return this.#unscanned('failed', 'the scanner tirith failed again and again');
    try {
      const { readVerdict } = await import('./verdict.ts');
      const { exitCode, output } = await this.#run(program, command);
      const verdict = readVerdict(exitCode, output);
      if (verdict === undefined) throw new Error(exitCode === 124 ? 'no answer in time' : `exit code ${exitCode}`);
      if (exitCode === 0) this.#failures = 0;
      return verdict;
    } catch (error) {
      this.#failures += 1;
      this.#options.log.warning('tirith did not scan a command', error);
      return this.#unscanned('failed', 'the scanner tirith failed (security.tirith_fail_open: false)');
    }
  }

  /** Ends an installation under way. */
  async close(): Promise<void> {
    this.#closed.abort();
    await this.#installing;
  }

  #unscanned(rule: string, why: string): readonly Finding[] {
    return this.#options.failOpen ? [] : [scanned(rule, why)];
  }

  async #run(program: string, command: string) {
    const { runProgram } = await import('../../../environments/local/run-program.ts');
    const { env, homePath, timeoutSeconds } = this.#options;
    const mark = randomUUID();
    return await runProgram(
      [program, 'check', '--json', '--non-interactive', '--shell', 'posix', '--', command],
      // Not where the command starts: rules of a folder are not for the folder's own commands.
      { cwd: homePath, timeoutMs: timeoutSeconds * 1000, signal: this.#closed.signal, maxOutput: maxOutputChars },
      { ...env(), HERMES_SCAN_ID: mark },
      mark,
    );
  }

  #find(): string | undefined {
    if (this.#program !== undefined && isExecutable(this.#program)) return this.#program;
    if (Date.now() < this.#missingUntil) return undefined;
    this.#program = this.#places().find(isExecutable);
    if (this.#program === undefined) this.#missingUntil = Date.now() + missingMs;
    return this.#program;
  }

  #places(): readonly string[] {
    const { path, homePath, userHome, env } = this.#options;
    if (path.includes('/')) return [path.startsWith('~/') ? join(userHome, path.slice(2)) : path];
    const folders = searchPathOf(env())
      .split(delimiter)
      .filter((folder) => folder.startsWith('/'));
    return [
      ...folders.map((folder) => join(folder, path)),
      ...(path === 'tirith' ? [join(homePath, 'bin', path)] : []),
    ];
  }

  /** Beside the work, once; a failure is noted where the next process sees it. */
  #beginInstall(): void {
    const { install, path, log } = this.#options;
    if (install === undefined || path !== 'tirith' || this.#installing !== undefined) return;
    this.#installing = install(this.#closed.signal).then(
      () => {
        this.#missingUntil = 0;
      },
      (error: unknown) => log.warning('tirith was not installed', error),
    );
  }
}
