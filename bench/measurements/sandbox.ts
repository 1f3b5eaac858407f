/** What the sandbox adds to a command: confined and unconfined ones by turns in one session, and starts of shells. */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Environment } from '../../src/environments/environment.ts';
import { createLocalEnvironment } from '../../src/environments/local/local-environment.ts';
import { createSandboxPlaces } from '../../src/runtime/sandbox-places.ts';
import type { Measurement } from '../parts/measurement.ts';
import { median, quantile } from '../parts/statistics.ts';

const rounds = 200;
const starts = 30;

export const sandbox: Measurement = {
  name: 'sandbox',
  async measure() {
    const folder = mkdtempSync(join(tmpdir(), 'bench-sandbox-'));
    const workspace = join(folder, 'project');
    mkdirSync(workspace);
    const environment = openEnvironment(workspace);
    try {
      const problem = await environment.confinementProblem();
      if (problem !== undefined) throw new Error(problem);
      const kept = await byTurns(rounds, (confined) => run(environment, confined));
      const started = await byTurns(starts, (confined) => run(environment, confined, 'x'));
      const fresh: number[] = [];
      for (let round = 0; round < 10; round += 1) fresh.push(await firstCommand(workspace));
      return [
        {
          what: 'confined command, more than outside, median',
          value: median(kept.confined) - median(kept.outside),
          unit: 'ms',
          mark: 8,
          detail: `${rounds} pairs of \`true\`: ${median(kept.confined).toFixed(2)} and ${median(kept.outside).toFixed(2)} ms`,
        },
        {
          what: 'the same, p95',
          value: quantile(kept.confined, 0.95) - quantile(kept.outside, 0.95),
          unit: 'ms',
          detail: 'of the same pairs',
        },
        {
          what: 'confined command in a shell of its own, more than outside, median',
          value: median(started.confined) - median(started.outside),
          unit: 'ms',
          mark: 8,
          detail: `${starts} pairs of \`cat\` with input: ${median(started.confined).toFixed(1)} and ${median(started.outside).toFixed(1)} ms`,
        },
        {
          what: 'first confined command of a session, median',
          value: median(fresh),
          unit: 'ms',
          detail: `${fresh.length} sessions, sandbox and shell started`,
        },
      ];
    } finally {
      await environment.close();
      rmSync(folder, { recursive: true, force: true });
    }
  },
};

function openEnvironment(workspace: string): Environment {
  const path = process.env['PATH'] ?? '';
  const homePath = join(workspace, '..', '.hermes');
  const options = { homePath, root: homePath, userHomes: [homedir()], cwd: workspace, path };
  return createLocalEnvironment({
    cwd: workspace,
    env: { HOME: homedir(), PATH: path },
    autoSourceBashrc: false,
    sessionId: 'bench',
    homePath,
    loadSandboxPlaces: () => Promise.resolve(createSandboxPlaces(options)),
  });
}

/** Milliseconds of each; the first of either kind is left out. */
async function byTurns(count: number, measure: (confined: boolean) => Promise<number>) {
  const found = { confined: [] as number[], outside: [] as number[] };
  for (let round = -1; round < count; round += 1) {
    const [confined, outside] = [await measure(true), await measure(false)];
    if (round < 0) continue;
    found.confined.push(confined);
    found.outside.push(outside);
  }
  return found;
}

async function run(environment: Environment, confined: boolean, stdin?: string): Promise<number> {
  const start = performance.now();
  await environment.run(stdin === undefined ? 'true' : 'cat', {
    timeoutMs: 30_000,
    signal: new AbortController().signal,
    ...(stdin === undefined ? {} : { stdin }),
    ...(confined ? { confinement: { network: 'open' } } : {}),
  });
  return performance.now() - start;
}

async function firstCommand(workspace: string): Promise<number> {
  const environment = openEnvironment(workspace);
  const took = await run(environment, true);
  await environment.close();
  return took;
}
