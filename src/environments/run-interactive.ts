/** Hands the terminal to another program, such as the user's editor, until it ends. */
import { spawn } from 'node:child_process';
import { constants } from 'node:os';
import type { Variables } from '../config/variables.ts';

/**
 * Runs a program with this process's own streams and resolves with its exit code (128 + n after signal n). Rejects with
 * Node's error when it cannot be started. While it runs, Ctrl+C belongs to it.
 */
export async function runInteractive(
  file: string,
  args: readonly string[],
  env: Variables,
  cwd?: string,
): Promise<number> {
  const ignoreInterrupt = (): void => {};
  process.on('SIGINT', ignoreInterrupt);
  try {
    return await new Promise((resolve, reject) => {
      const child = spawn(file, [...args], {
        stdio: 'inherit',
        env: { ...env },
        ...(cwd === undefined ? {} : { cwd }),
      });
      child.once('error', reject);
      child.once('exit', (code, signal) => resolve(code ?? 128 + (signal === null ? 0 : constants.signals[signal])));
    });
  } finally {
    process.off('SIGINT', ignoreInterrupt);
  }
}
