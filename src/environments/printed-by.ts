/** What a small program of this machine prints, for tokens that it keeps. */
import { execFile } from 'node:child_process';
import type { Variables } from '../config/variables.ts';

const maxBytes = 64 * 1024;

/** The first line of its output; undefined when the program is not there, fails, or takes too long. */
export async function printedBy(
  argv: readonly [program: string, ...args: string[]],
  env: Variables,
  timeoutMs: number,
  signal: AbortSignal | undefined,
): Promise<string | undefined> {
  const [program, ...args] = argv;
  return await new Promise((resolve) => {
    const options = {
      env: { ...env },
      timeout: timeoutMs,
      maxBuffer: maxBytes,
      encoding: 'utf8' as const,
      ...(signal === undefined ? {} : { signal }),
    };
    execFile(program, args, options, (error, stdout) => {
      const line = stdout.split('\n', 1)[0]?.trim() ?? '';
      resolve(error === null && line !== '' ? line : undefined);
    });
  });
}
