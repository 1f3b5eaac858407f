/** A temporary home, a model server in a process of its own, and the program that is measured in them. */
import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { Program } from './processes.ts';

export const root = fileURLToPath(new URL('../..', import.meta.url));

export interface Workplace extends AsyncDisposable {
  /** `hermes <args>` talking to the model server, which then plays this scene (see `bench/model-server.ts`). */
  hermes(scene: string, args: readonly string[]): Program;
  /** A bare Node script that makes the same request and reads the same answer. */
  bareRequest(scene: string): Program;
  /** Milliseconds from the end of a tool-call answer to the request that follows it, since the last call of this. */
  takeGaps(): Promise<number[]>;
  /** When requests came whose user spoke of `q<number>`, since the last call of this, in `sharedTime`. */
  takeArrivals(): Promise<ReadonlyMap<number, number>>;
  /** Resolves when so many requests, of all that there were, were told to wait or to work. */
  waitFor(requests: number): Promise<void>;
}

/** Milliseconds of a clock that all processes of a machine share. */
export function sharedTime(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}

export async function openWorkplace(): Promise<Workplace> {
  const dir = mkdtempSync(join(tmpdir(), 'hermes-bench-'));
  const server = spawn(process.execPath, [join(root, 'bench', 'model-server.ts')], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const origin = await firstLine(server.stdout);
  mkdirSync(join(dir, 'project'));
  return {
    hermes: (scene, args) => ({
      command: process.execPath,
      args: [join(root, 'bin', 'hermes.mjs'), ...args],
      env: environment(dir, homeFor(dir, origin, scene)),
      cwd: join(dir, 'project'),
    }),
    bareRequest: (scene) => ({
      command: process.execPath,
      args: [join(root, 'bench', 'bare-request.mjs'), `${origin}/${scene}/v1/chat/completions`],
      env: environment(dir, dir),
      cwd: join(dir, 'project'),
    }),
    takeGaps: async () => (await (await fetch(`${origin}/gaps`)).json()) as number[],
    async takeArrivals() {
      const arrivals = (await (await fetch(`${origin}/arrivals`)).json()) as Record<string, number>;
      return new Map(Object.entries(arrivals).map(([number, at]) => [Number(number), at]));
    },
    async waitFor(requests) {
      while (Number(await (await fetch(`${origin}/waiting`)).text()) < requests) await sleep(50);
    },
    [Symbol.asyncDispose]: async () => {
      const ended = new Promise((resolve) => server.on('exit', resolve));
      server.kill();
      await ended;
      rmSync(dir, { recursive: true, force: true });
    },
  };
}

/** Every scene has a home of its own; from its second run on it is one that has been used, with a database. */
function homeFor(dir: string, origin: string, scene: string): string {
  const home = join(dir, `home-${scene}`);
  mkdirSync(home, { recursive: true });
  const lines = [
    'model:',
    '  provider: custom',
    `  base_url: ${origin}/${scene}/v1`,
    '  default: fake-model',
    '  api_key: test',
    `  context_length: ${scene === 'turns' ? 64_000 : 1_000_000}`,
    'agent:',
    '  max_turns: 1000',
  ];
  writeFileSync(join(home, 'config.yaml'), `${lines.join('\n')}\n`);
  return home;
}

function environment(dir: string, home: string): Record<string, string> {
  return { PATH: process.env.PATH ?? '', HOME: dir, HERMES_HOME: home, LANG: 'C.UTF-8' };
}

async function firstLine(stream: NodeJS.ReadableStream): Promise<string> {
  for await (const line of createInterface({ input: stream })) return line;
  throw new Error('The model server did not start.');
}
