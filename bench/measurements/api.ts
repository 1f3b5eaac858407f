/** Turns over the API with a model that answers at once: how many, how fast, and what they cost. */
import { spawn } from 'node:child_process';
import { appendFileSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import * as z from 'zod';
import { bundle } from '../parts/bundle.ts';
import type { Figure, Measurement } from '../parts/measurement.ts';
import { inMs, quantile } from '../parts/statistics.ts';
import { openWorkplace, type Workplace } from '../parts/workplace.ts';

const callers = 50;
const turns = 3000;
const waiting = 1000;
const key = 'bench-key-0123456789';

export const api: Measurement = {
  name: 'api',
  async measure() {
    await using workplace = await openWorkplace();
    using program = await bundle('./bench/parts/api-server.ts');
    const start = (scene: string) => startServer(workplace, scene, fileURLToPath(program.address));
    return [...(await measureTurns(start)), await measureWaiting(start, workplace)];
  },
};

async function measureTurns(start: Start): Promise<Figure[]> {
  await using server = await start('word');
  await run(server.url, 10, 500, (caller) => `warm-${caller}`);
  const fresh = await timed(server, turns, (_caller, turn) => `fresh-${turn}`);
  const going = await timed(server, turns, (caller) => `caller-${caller}`);
  const alone: number[] = [];
  for (let turn = 0; turn < 300; turn += 1) alone.push(await ask(server.url, 'alone', turn));
  return [
    perTurn(`a turn of a new conversation, ${callers} callers`, fresh),
    perTurn(`a turn of one that goes on, ${callers} callers`, going),
    {
      what: 'added to a model that answers at once, one caller, p95',
      value: quantile(alone, 0.95),
      unit: 'ms',
      mark: 15,
      detail: `median ${inMs(quantile(alone, 0.5))}`,
    },
  ];
}

interface Timed {
  readonly wallMs: number;
  readonly cpuMs: number;
  readonly latencies: readonly number[];
}

/** 300 turns a second are 3.3 ms each. */
function perTurn(what: string, { wallMs, cpuMs, latencies }: Timed): Figure {
  const rate = (turns / wallMs) * 1000;
  return {
    what,
    value: wallMs / turns,
    unit: 'ms',
    mark: 3.33,
    detail: `${rate.toFixed(0)} turns/s, ${inMs(cpuMs / turns)} of CPU each, answered in ${inMs(quantile(latencies, 0.5))} (p95 ${inMs(quantile(latencies, 0.95))})`,
  };
}

async function timed(server: Server, count: number, session: (caller: number, turn: number) => string): Promise<Timed> {
  const before = await server.usage();
  const startedAt = performance.now();
  const latencies = await run(server.url, callers, count, session);
  const wallMs = performance.now() - startedAt;
  return { wallMs, cpuMs: (await server.usage()).cpuMs - before.cpuMs, latencies };
}

async function measureWaiting(start: Start, workplace: Workplace): Promise<Figure> {
  await using server = await start('wait');
  const { rssMb: idle } = await server.usage();
  const gone = new AbortController();
  const asked = Array.from({ length: waiting }, (_, caller) =>
    ask(server.url, `waits-${caller}`, caller, gone.signal).catch(() => 0),
  );
  await workplace.waitFor(waiting);
  const { rssMb } = await server.usage();
  gone.abort();
  await Promise.all(asked);
  return {
    what: `memory with ${waiting} requests that wait for the model`,
    value: rssMb,
    unit: 'MB',
    mark: 400,
    detail: `${idle.toFixed(0)} MB idle`,
  };
}

/** Latencies in milliseconds. */
async function run(
  url: string,
  side: number,
  count: number,
  session: (caller: number, turn: number) => string,
): Promise<number[]> {
  const latencies: number[] = [];
  let turn = 0;
  const caller = async (_: unknown, number: number): Promise<void> => {
    while (turn < count) {
      turn += 1;
      latencies.push(await ask(url, session(number, turn), turn));
    }
  };
  await Promise.all(Array.from({ length: side }, caller));
  return latencies;
}

const connections = new Agent({ keepAlive: true, maxSockets: Infinity });

async function ask(url: string, session: string, turn: number, signal?: AbortSignal): Promise<number> {
  const startedAt = performance.now();
  const body = JSON.stringify({ model: 'm', messages: [{ role: 'user', content: `Question ${turn}` }] });
  const headers = {
    authorization: `Bearer ${key}`,
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(body),
    'x-hermes-session-id': session,
  };
  await new Promise<void>((resolve, reject) => {
    const path = `${url}/v1/chat/completions`;
    const options = { method: 'POST', agent: connections, headers, ...(signal === undefined ? {} : { signal }) };
    request(path, options, (response) => {
      text(response).then((answer) => {
        if (response.statusCode === 200) resolve();
        else reject(new Error(`${response.statusCode}: ${answer.slice(0, 200)}`));
      }, reject);
    })
      .on('error', reject)
      .end(body);
  });
  return performance.now() - startedAt;
}

interface Server extends AsyncDisposable {
  readonly url: string;
  usage(): Promise<{ readonly cpuMs: number; readonly rssMb: number }>;
}

const usage = z.object({ cpuMs: z.number(), rssMb: z.number() });

type Start = (scene: string) => Promise<Server>;

async function startServer(workplace: Workplace, scene: string, program: string): Promise<Server> {
  const { env, cwd } = workplace.hermes(scene, []);
  const home = env['HERMES_HOME'] ?? '';
  const settings = `platforms: {api_server: {extra: {key: ${key}, port: 0}}}\ngateway: {api_server: {max_concurrent_runs: 0}}\n`;
  appendFileSync(join(home, 'config.yaml'), settings);
  const child = spawn(process.execPath, [program, home], {
    env,
    cwd,
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const next = async (): Promise<string> => String((await lines.next()).value);
  const url = await next();
  return {
    url,
    async usage() {
      child.stdin.write('\n');
      return usage.parse(JSON.parse(await next()));
    },
    async [Symbol.asyncDispose]() {
      const ended = new Promise((resolve) => child.on('exit', resolve));
      child.kill();
      await ended;
    },
  };
}
