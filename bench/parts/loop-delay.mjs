/**
 * Preloaded into a process that is measured: how late its event loop was, written down when it ends.
 *
 *   LOOP_DELAY_FILE=… node --import ./bench/parts/loop-delay.mjs …
 */
import { writeFileSync } from 'node:fs';
import { monitorEventLoopDelay } from 'node:perf_hooks';

const file = process.env['LOOP_DELAY_FILE'];
const resolution = 5;
const delays = monitorEventLoopDelay({ resolution });
delays.enable();
process.on('SIGUSR2', () => delays.reset());
process.on('exit', () => {
  if (file === undefined) return;
  // What it waits for on purpose is no delay.
  const late = (nanoseconds) => Math.max(0, nanoseconds / 1e6 - resolution);
  const { max, count } = delays;
  const at = (percent) => late(delays.percentile(percent));
  writeFileSync(file, JSON.stringify({ median: at(50), p99: at(99), p999: at(99.9), max: late(max), count }));
});
