/** Runs a program in a terminal of its own until something stands on the screen. */
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import type { Program } from './processes.ts';

export interface Ready {
  readonly wallMs: number;
  /** Processor time of the program until then; undefined where the system has no `/proc`. */
  readonly cpuMs: number | undefined;
}

const deadlineMs = 30_000;
/** The kernel counts processor time in hundredths of a second. */
const msPerTick = 10;

/** Ends the program as soon as `mark` was written. Throws when it ends before or takes too long. */
export async function readyInTerminal({ command, args, env, cwd }: Program, mark: string): Promise<Ready> {
  const line = `stty cols 100 rows 40; exec ${[command, ...args].map((word) => `'${word}'`).join(' ')}`;
  const startedAt = performance.now();
  const terminal = spawn('script', ['--quiet', '--flush', '--command', line, '/dev/null'], {
    env: { ...env, TERM: 'xterm-256color', SHELL: '/bin/sh' },
    cwd,
    stdio: ['pipe', 'pipe', 'ignore'],
    timeout: deadlineMs,
    killSignal: 'SIGKILL',
  });
  const ended = new Promise<void>((resolve, reject) => {
    terminal.on('error', reject);
    terminal.on('exit', () => resolve());
  });
  const seen = (async () => {
    let written = '';
    for await (const piece of terminal.stdout.setEncoding('utf8')) {
      written += String(piece);
      if (written.includes(mark)) return { wallMs: performance.now() - startedAt, cpuMs: cpuOf(terminal.pid) };
    }
    throw new Error(`the program ended before it was ready: ${written.trim().slice(-300)}`);
  })();
  try {
    return await Promise.race([seen, ended.then(() => seen)]);
  } finally {
    terminal.kill('SIGKILL');
    await ended;
  }
}

/** Of the program that `script` started. */
function cpuOf(pid: number | undefined): number | undefined {
  try {
    const child = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ')[0];
    const fields = readFileSync(`/proc/${child}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
    return (Number(fields[11]) + Number(fields[12])) * msPerTick;
  } catch {
    return undefined; // another system than Linux
  }
}
