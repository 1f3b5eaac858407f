/** Asks before something is lost. */
import { createInterface } from 'node:readline';
import type { Io } from '../../lib/io.ts';

/** True when the answer is `y` or `yes`; the end of input counts as no. */
export function confirm(io: Io, question: string): Promise<boolean> {
  io.stdout.write(`${question} [y/N] `);
  const lines = createInterface({ input: io.stdin });
  return new Promise((resolve) => {
    lines.once('line', (line) => {
      resolve(['y', 'yes'].includes(line.trim().toLowerCase()));
      lines.close();
    });
    lines.once('close', () => {
      io.stdin.pause();
      resolve(false);
    });
  });
}
