/** Runs programs and says how long they took and how much memory they needed. */
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { text } from 'node:stream/consumers';

export interface Program {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
}

export interface Run {
  readonly wallMs: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Throws when the program fails or takes longer than two minutes, or another time. */
export async function runOnce({ command, args, env, cwd }: Program, deadlineMs = 120_000): Promise<Run> {
  const startedAt = performance.now();
  const child = spawn(command, args, { env, cwd, stdio: ['ignore', 'pipe', 'pipe'], timeout: deadlineMs });
  const exited = new Promise<number | null>((resolve, reject) => {
    child.on('error', reject);
    child.on('exit', resolve);
  });
  const output = Promise.all([text(child.stdout), text(child.stderr)]);
  const code = await exited;
  const wallMs = performance.now() - startedAt;
  const [stdout, stderr] = await output;
  if (code !== 0) throw new Error(`${args.join(' ')} ended with ${code ?? 'a signal'}: ${stderr.trim().slice(0, 300)}`);
  return { wallMs, stdout, stderr };
}

/**
 * Wall times of several programs that take turns, so that a busy moment of the machine hits all of them alike.
 * Each runs once beforehand without being counted, which fills the caches.
 */
export async function takeTurns<Name extends string>(
  programs: Readonly<Record<Name, Program>>,
  rounds: number,
): Promise<Record<Name, number[]>> {
  const names = Object.keys(programs) as Name[];
  const times = Object.fromEntries(names.map((name) => [name, []])) as unknown as Record<Name, number[]>;
  for (const name of names) await runOnce(programs[name]);
  for (let round = 0; round < rounds; round += 1) {
    for (const name of names) times[name].push((await runOnce(programs[name])).wallMs);
  }
  return times;
}

/** Greatest resident memory of a run, in MB, as the kernel counted it. */
export async function peakMemory(program: Program): Promise<number> {
  if (!existsSync('/usr/bin/time')) throw new Error('/usr/bin/time is needed to measure memory');
  const { stderr } = await runOnce({
    ...program,
    command: '/usr/bin/time',
    args: ['--format', 'peak-kilobytes %M', program.command, ...program.args],
  });
  const kilobytes = /peak-kilobytes (\d+)/.exec(stderr)?.[1];
  if (kilobytes === undefined) throw new Error('/usr/bin/time said nothing about memory');
  return Number(kilobytes) / 1024;
}
