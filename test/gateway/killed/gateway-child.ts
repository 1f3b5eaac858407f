/** A whole gateway in a process of its own, on a home that is there; run by the tests, which kill it. */
import { setTimeout as sleep } from 'node:timers/promises';
import { loadConfig } from '../../../src/config/load.ts';
import { Gateway } from '../../../src/gateway/gateway.ts';
import { KeptJobs } from '../../../src/gateway/process/kept-jobs.ts';
import { openProgram } from '../../../src/runtime/open-program.ts';
import { noCommands, noHooks } from '../support.ts';
import { outsideConfig, outsidePlatform } from './outside-platform.ts';

const [base = '', url = '', speed = '50', maxMessageLength = '4096', parent = ''] = process.argv.slice(2);
const home = { path: `${base}/.hermes`, root: `${base}/.hermes`, profile: 'default' } as const;
const env = { HOME: base, PATH: process.env['PATH'], HERMES_MANAGED_DIR: `${base}/managed` };
const program = await openProgram({ home, env, config: await loadConfig({ home, env }), cwd: `${base}/work` });

let stopping: Promise<void> | undefined;
const stop = (): void => void (stopping ??= end());
const gateway = Gateway.open({
  program,
  platforms: [{ platform: outsidePlatform(url, Number(maxMessageLength), stop), config: outsideConfig }],
  authorization: {
    admit: () => Promise.resolve({ as: 'allowed' }),
    mayRun: () => true,
    tierOf: () => ({ tier: 'unrestricted' }),
  },
  commands: noCommands,
  hooks: noHooks,
  services: {
    network: {},
    fetchOutside: fetch,
    notes: () => ({ get: () => Promise.resolve(undefined), set: () => Promise.resolve() }),
    folder: () => Promise.resolve(base),
    lock: () => Promise.resolve(),
    unlock: () => Promise.resolve(),
    moved: () => Promise.resolve(),
  },
  receive: () => Promise.resolve([]),
  takeFiles: (text) => ({ text, files: [] }),
  takePictures: (text) => Promise.resolve({ text, files: [] }),
  onStatus: () => undefined,
  // The true time, but waits are shorter, so that a retry after half a minute comes in a test.
  clock: {
    now: () => Date.now(),
    sleep: (ms, signal) => sleep(ms / Number(speed), undefined, { signal, ref: false }),
    random: () => Math.random(),
  },
});
process.on('SIGTERM', stop);
await gateway.start();
const jobs = new KeptJobs(gateway, { takeFiles: (text) => ({ text, files: [], refused: [] }), paused: () => false });
jobs.start();
// Nothing else holds the process while nothing happens; a test that was cut off leaves nothing that runs for ever.
const alive = setInterval(() => {
  try {
    process.kill(Number(parent), 0);
  } catch {
    process.exit(1);
  }
}, 1000);

async function end(): Promise<void> {
  const patience = AbortSignal.timeout(5000);
  await Promise.all([gateway.drain(patience), jobs.drain(patience)]);
  await gateway.delivery.settled(patience);
  await jobs.close();
  await gateway.close();
  await program.close();
  clearInterval(alive);
  process.exit(0);
}
