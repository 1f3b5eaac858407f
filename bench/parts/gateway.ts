/** The gateway as it is started by hand, between a Bot API that the bench plays and a model in a process of its own. */
import { spawn } from 'node:child_process';
import { appendFileSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { BotApi } from './bot-api.ts';
import { People } from './people.ts';
import type { Program } from './processes.ts';
import { openWorkplace, type Workplace } from './workplace.ts';

/** A home that is set up for a gateway; none runs in it yet. */
export class GatewayPlace implements AsyncDisposable {
  readonly workplace: Workplace;
  readonly api: BotApi;
  readonly people: People;
  readonly home: string;
  readonly #program: Program;

  /** `scene`: what the model plays; see `bench/model-server.ts`. */
  static async open(scene: string): Promise<GatewayPlace> {
    return new GatewayPlace(await openWorkplace(), await BotApi.open(), scene);
  }

  private constructor(workplace: Workplace, api: BotApi, scene: string) {
    const { env, ...program } = workplace.hermes(scene, ['gateway', 'run']);
    this.workplace = workplace;
    this.api = api;
    this.people = new People(api);
    this.home = env['HERMES_HOME'] ?? '';
    this.#program = { ...program, env: { ...env, TELEGRAM_ALLOW_ALL_USERS: 'true' } };
    // Who is started again and again is made to wait, which is not what is measured.
    this.configure('gateway:\n  respawn_storm: {max_starts: 1000}\n');
    // By default it waits for more of a text that was cut in pieces, which is not it either.
    const extra = `{base_url: "${api.url}", text_batch_delay_seconds: 0}`;
    this.configure(`platforms:\n  telegram:\n    token: "${BotApi.token}"\n    extra: ${extra}\n`);
  }

  /** Where its commands run. */
  get folder(): string {
    return this.#program.cwd;
  }

  /** More of config.yaml, as lines at its end. */
  configure(lines: string): void {
    appendFileSync(join(this.home, 'config.yaml'), lines);
  }

  /** Resolves when it says that it runs. Throws when it ends before. `loop`: see `bench/parts/loop-delay.mjs`. */
  async start(loop?: { readonly preload: string; readonly file: string }): Promise<RunningGateway> {
    if (loop === undefined) return await startGateway(this.#program);
    const env = { ...this.#program.env, LOOP_DELAY_FILE: loop.file };
    return await startGateway({ ...this.#program, env }, ['--import', loop.preload]);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.api[Symbol.asyncDispose]();
    await this.workplace[Symbol.asyncDispose]();
  }
}

export interface RunningGateway extends AsyncDisposable {
  /** From the start of the process until it said that it runs. */
  readonly readyMs: number;
  usage(): GatewayUsage;
  /** What it ended with: an exit code, or a signal. */
  readonly ended: Promise<number | string | null>;
  kill(signal: 'SIGTERM' | 'SIGKILL' | 'SIGUSR2'): void;
}

export interface GatewayUsage {
  /** Processor time since the start. */
  readonly cpuMs: number;
  readonly rssMb: number;
  /** The most that it ever was. */
  readonly peakMb: number;
}

async function startGateway(
  { command, args, env, cwd }: Program,
  more: readonly string[] = [],
): Promise<RunningGateway> {
  const startedAt = performance.now();
  const flags = [...(process.env['BENCH_NODE_FLAGS'] ?? '').split(' ').filter((flag) => flag !== ''), ...more];
  const child = spawn(command, [...flags, ...args], { env, cwd, stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = new Promise<number | string | null>((resolve) => {
    child.on('exit', (code, signal) => resolve(signal ?? code));
  });
  const pid = child.pid ?? 0;
  const said: string[] = [];
  for await (const line of createInterface({ input: child.stdout })) {
    said.push(line);
    if (line.includes(`(pid ${pid})`)) break;
  }
  const readyMs = performance.now() - startedAt;
  if (child.exitCode !== null) throw new Error(`the gateway ended: ${said.join(' ').slice(0, 300)}`);
  child.stdout.resume();
  return {
    readyMs,
    usage: () => usageOf(pid),
    ended,
    kill: (signal) => void child.kill(signal),
    async [Symbol.asyncDispose]() {
      child.kill();
      await ended;
    },
  };
}

/** The kernel counts processor time in hundredths of a second. */
const msPerTick = 10;

function usageOf(pid: number): GatewayUsage {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  const mb = (name: string): number => (Number(new RegExp(`${name}:\\s+(\\d+)`).exec(status)?.[1]) * 1024) / 1e6;
  return {
    cpuMs: (Number(fields[11]) + Number(fields[12])) * msPerTick,
    rssMb: mb('VmRSS'),
    peakMb: mb('VmHWM'),
  };
}
