/** How the work of a function grows with its input, told without a clock on the wall. */
import assert from 'node:assert/strict';

const attempts = 5;

/**
 * Fails when four times the input is far more than four times the work. Work is processor time of this thread, which
 * hardly depends on what else the machine does; twice four leaves room for what is not exact about it, and anything
 * quadratic needs sixteen times as much. A collection of garbage may still fall into one measurement, so that only a
 * growth which is seen every time counts.
 */
export function assertGrowsLinearly(work: (size: number) => void, size: number, what = ''): void {
  work(size);
  const seen: string[] = [];
  for (let attempt = 0; attempt < attempts; attempt += 1) {
    const small = Math.min(processorMs(work, size), processorMs(work, size));
    const large = processorMs(work, size * 4);
    if (large <= 8 * Math.max(small, 5)) return;
    seen.push(`${small} ms for ${size}, ${large} ms for ${size * 4}`);
  }
  assert.fail(`${what}: ${seen.join('; ')}`);
}

function processorMs(work: (size: number) => void, size: number): number {
  const before = process.threadCpuUsage();
  work(size);
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1000;
}
