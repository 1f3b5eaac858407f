/** Keeps a gateway that is started again and again from doing harm: it waits, or leaves interrupted turns alone. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import { writeFileAtomic } from '../../lib/atomic-file.ts';
import { parseJson } from '../../lib/json.ts';
import { makeDirectories } from '../../lib/make-directories.ts';

export interface StartLimits {
  readonly maxStarts: number;
  readonly windowSeconds: number;
}

const keptStarts = 50;
const longestWaitMs = 300_000;

/**
 * Writes this start down and says how long it has to wait, in milliseconds: more than `maxStarts` within the window double
 * the wait with every further one; with 0 none ever waits.
 */
export function countStart(homePath: string, { maxStarts, windowSeconds }: StartLimits, now = Date.now()): number {
  const path = join(homePath, 'gateway-starts.log');
  const starts = [...readStarts(path), now / 1000].slice(-keptStarts);
  writeFileAtomic(path, starts.map((at) => `${at.toFixed(3)}\n`).join(''), { durable: false });
  const lately = starts.filter((at) => now / 1000 - at < windowSeconds).length;
  if (maxStarts === 0 || lately < maxStarts) return 0;
  return Math.min(longestWaitMs, 10_000 * 2 ** Math.min(10, lately - maxStarts));
}

/**
 * Counts a start after an end that was no orderly one; true when there were `maxStarts` within the window, so that nothing
 * is resumed this time.
 */
export function isRestartLoop(homePath: string, { maxStarts, windowSeconds }: StartLimits, now = Date.now()): boolean {
  const folder = join(homePath, 'gateway');
  const path = join(folder, 'restart_loop.json');
  const boots = [...readBoots(path).filter((at) => now / 1000 - at < windowSeconds), now / 1000];
  makeDirectories(folder, 0o700);
  writeFileAtomic(path, `${JSON.stringify({ boots })}\n`, { durable: false });
  return boots.length >= maxStarts;
}

function readStarts(path: string): number[] {
  try {
    const lines = readFileSync(path, 'utf8').split('\n');
    return lines.map(Number).filter((at) => Number.isFinite(at) && at > 0);
  } catch {
    return [];
  }
}

function readBoots(path: string): number[] {
  try {
    return z.object({ boots: z.array(z.number()) }).parse(parseJson(readFileSync(path, 'utf8'))).boots;
  } catch {
    return [];
  }
}
