/** Runs git in a directory and reads what it prints. */
import { execFile } from 'node:child_process';
import type { Variables } from '../config/variables.ts';

const maxBytes = 16 * 1024 * 1024;

export interface Git {
  /** Where commands run. */
  readonly directory: string;
  /** What it printed; undefined when it failed, is not installed, or took longer than `timeoutMs` (default 60 s). */
  run(args: readonly string[], timeoutMs?: number): Promise<string | undefined>;
  /** The same git somewhere else. */
  at(directory: string): Git;
}

export function gitIn(directory: string, env: Variables): Git {
  return {
    directory,
    run: (args, timeoutMs = 60_000) =>
      new Promise((resolve) => {
        const options = {
          cwd: directory,
          // Nobody is there to be asked for a password.
          env: { ...env, GIT_TERMINAL_PROMPT: '0' },
          timeout: timeoutMs,
          maxBuffer: maxBytes,
          encoding: 'utf8' as const,
        };
        execFile('git', [...args], options, (error, stdout) => resolve(error === null ? stdout.trimEnd() : undefined));
      }),
    at: (other) => gitIn(other, env),
  };
}
