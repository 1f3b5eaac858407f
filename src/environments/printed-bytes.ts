/** The bytes that a program prints, for programs whose failure only means that there is nothing to be had. */
import { execFile } from 'node:child_process';
import type { Variables } from '../config/variables.ts';

export interface PrintedBytesOptions {
  readonly env: Variables;
  readonly timeoutMs: number;
  /** A program that prints more counts as failed. */
  readonly maxBytes: number;
}

/** Undefined when it cannot be started, fails, or takes too long. */
export function printedBytes(
  file: string,
  args: readonly string[],
  { env, timeoutMs, maxBytes }: PrintedBytesOptions,
): Promise<Buffer | undefined> {
  const options = { env: { ...env }, timeout: timeoutMs, maxBuffer: maxBytes, encoding: 'buffer' } as const;
  return new Promise((resolve) => {
    execFile(file, [...args], options, (error, stdout) => resolve(error === null ? stdout : undefined));
  });
}
