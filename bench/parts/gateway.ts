/** The gateway as it is started by hand, in front of a Bot API that the bench plays. */
import { spawn } from 'node:child_process';
import { appendFileSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { BotApi } from './bot-api.ts';
import type { Workplace } from './workplace.ts';

export interface RunningGateway extends AsyncDisposable {
  readonly home: string;
  /** From the start of the process until it said that it runs. */
  readonly readyMs: number;
  usage(): GatewayUsage;
}

interface GatewayUsage {
  /** Processor time since the start. */
  readonly cpuMs: number;
  readonly rssMb: number;
  readonly peakMb: number;
}

/** The home of a gateway with this scene, set up; nothing is started. */
export function prepareHome(workplace: Workplace, scene: string, api: BotApi): PreparedGateway {
  const { command, args, env, cwd } = workplace.hermes(scene, ['gateway', 'run']);
  const home = env['HERMES_HOME'] ?? '';
  // It waits for more of what was cut in pieces; that is not what is measured.
  const extra = `{base_url: "${api.url}", text_batch_delay_seconds: 0}`;
  appendFileSync(
    join(home, 'config.yaml'),
    `platforms:\n  telegram:\n    token: "${BotApi.token}"\n    extra: ${extra}\n`,
  );
  return { home, command, args, cwd, env: { ...env, TELEGRAM_ALLOW_ALL_USERS: 'true' } };
}

export interface PreparedGateway {
  readonly home: string;
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
}

/** Resolves when it says that it runs. Throws when it ends before. */
export async function startGateway({ home, command, args, env, cwd }: PreparedGateway): Promise<RunningGateway> {
  const startedAt = performance.now();
  const flags = (process.env['BENCH_NODE_FLAGS'] ?? '').split(' ').filter((flag) => flag !== '');
  const child = spawn(command, [...flags, ...args], { env, cwd, stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = new Promise<void>((resolve) => child.on('exit', () => resolve()));
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
    home,
    readyMs,
    usage: () => usageOf(pid),
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
