/** How the work of a function grows with its input, told without a clock on the wall. */
import assert from 'node:assert/strict';

/**
 * Fails when four times the input is far more than four times the work. Work is processor time of this thread, which
 * does not depend on what else the machine does; twice four leaves room for what is not exact about it, and anything
 * quadratic needs sixteen times as much.
 */
export function assertGrowsLinearly(work: (size: number) => void, size: number, what = ''): void {
  work(size);
  const small = Math.min(processorMs(work, size), processorMs(work, size));
  const large = processorMs(work, size * 4);
  assert.ok(large <= 8 * Math.max(small, 5), `${what}: ${small} ms for ${size}, ${large} ms for ${size * 4}`);
}

function processorMs(work: (size: number) => void, size: number): number {
  const before = process.threadCpuUsage();
  work(size);
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1000;
}
