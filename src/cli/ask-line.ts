/** One question, answered by a line of standard input. */
import { createInterface } from 'node:readline';
import type { Io } from '../lib/io.ts';

/** The line that was typed, trimmed; undefined at the end of input. */
export function askLine(io: Io, question: string): Promise<string | undefined> {
  io.stdout.write(question);
  const lines = createInterface({ input: io.stdin });
  return new Promise((resolve) => {
    lines.once('line', (line) => {
      resolve(line.trim());
      lines.close();
    });
    lines.once('close', () => {
      io.stdin.pause();
      resolve(undefined);
    });
  });
}
