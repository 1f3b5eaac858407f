/** One program beside the shell: its own variables, its two outputs apart, and nothing of it left behind. */
import { spawn } from 'node:child_process';
import { mkdtemp, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { UserError } from '../../lib/errors.ts';
import { timerMs } from '../../lib/timer-limit.ts';
import type { PreparedProgram, ProgramEnd, ProgramRun, Withheld } from '../environment.ts';
import type { OwnProcesses } from './own-processes.ts';
import { killTree } from './process-tree.ts';
import { loaderVariable } from './shell-keeper.ts';
import { drained, exitStatus } from './shell-session.ts';

interface Surroundings {
  readonly processes: Pick<OwnProcesses, 'nextMark' | 'watch' | 'forget'>;
  /** Seen by the program too. */
  readonly folder: string;
  /** How it gets to the place where it runs, and what it was kept from there; absent: it runs with all rights. */
  readonly entrance?: Entrance | undefined;
  /** True for a folder that it does not see as it is. */
  isHidden(folder: string): boolean;
  /** What commands see. */
  readonly own: Readonly<Record<string, string>>;
  /** What it gets whatever it keeps. */
  readonly provided: Readonly<Record<string, string>>;
}

interface Entrance {
  /** Words in front of the program. */
  readonly prefix: readonly string[];
  readonly variables: Readonly<Record<string, string>>;
  withheld(output: string, cwd: string): readonly Withheld[];
}

/** Between asking a program to end and ending it by force: after its time is up, and when somebody waits for the end. */
const timeoutGraceMs = 5000;
const interruptGraceMs = 400;

/** The folder is entered where the program runs: the way there may lead through another root. */
const enterFolder = 'cd -- "$1" || exit 126; shift; exec "$@"';

export async function runBeside(run: ProgramRun, surroundings: Surroundings): Promise<ProgramEnd> {
  const folder = await mkdtemp(join(surroundings.folder, 'hermes_sandbox_'));
  try {
    const prepared = await run.prepare(folder, { sockets: true });
    const { cwd } = prepared;
    if (surroundings.isHidden(cwd)) throw new UserError(`The directory ${cwd} is hidden from confined programs.`);
    const found = await stat(cwd).catch(() => undefined);
    if (found?.isDirectory() !== true) throw new UserError(`Cannot start in ${cwd}: there is no such directory.`);
    const end = await runPrepared(prepared, run, surroundings);
    return { ...end, withheld: (output) => surroundings.entrance?.withheld(output, cwd) ?? [] };
  } finally {
    await rm(folder, { recursive: true, force: true, maxRetries: 3 });
  }
}

async function runPrepared(
  prepared: PreparedProgram,
  run: ProgramRun,
  surroundings: Surroundings,
): Promise<Omit<ProgramEnd, 'withheld'>> {
  if (run.signal.aborted) return { exitCode: 130, ended: 'interrupt' };
  const { processes, entrance } = surroundings;
  const { variable, mark } = processes.nextMark();
  const words = [...(entrance?.prefix ?? []), '/bin/sh', '-c', enterFolder, 'beside', prepared.cwd, ...prepared.argv];
  const [program = '/bin/sh', ...args] = words;
  const child = spawn(program, args, {
    detached: true,
    cwd: '/',
    env: { ...variablesFor(run, prepared, surroundings), ...variable },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  child.stdout.on('data', (bytes: Buffer) => run.onOutput(bytes));
  child.stderr.on('data', (bytes: Buffer) => run.onErrors(bytes));
  // A program that goes away breaks its pipes; its exit says all there is to know.
  for (const stream of [child.stdout, child.stderr]) stream.on('error', () => undefined);
  const pid = await new Promise<number>((resolve, reject) => {
    child.once('spawn', () => resolve(child.pid ?? 0));
    child.once('error', (error) => reject(new UserError(`A program could not be started: ${error.message}`)));
  });
  processes.watch(pid);
  const exited = new Promise<number>((resolve) => {
    child.once('exit', (code, signal) => resolve(exitStatus(code, signal)));
  });
  const stopped = await untilStopped(exited, run);
  const graceMs = stopped === 'timeout' ? timeoutGraceMs : interruptGraceMs;
  // Also after an exit: what it left running would be watched by nobody.
  await killTree({ leaders: [pid], mark, graceMs });
  processes.forget(pid);
  await Promise.all([child.stdout, child.stderr].map(closed));
  if (stopped === 'timeout') return { exitCode: 124, ended: 'timeout' };
  if (stopped === 'interrupt') return { exitCode: 130, ended: 'interrupt' };
  return { exitCode: await exited, ended: 'exit' };
}

function variablesFor(
  run: ProgramRun,
  { variables }: PreparedProgram,
  { own, provided, entrance }: Surroundings,
): Record<string, string> {
  const kept = Object.entries(own).filter(([name]) => run.keeps(name));
  const all = { ...Object.fromEntries(kept), ...provided, ...entrance?.variables, ...variables };
  // The way into a sandbox lies outside of it, and must load nothing that was written inside.
  return Object.fromEntries(Object.entries(all).filter(([name]) => !loaderVariable.test(name)));
}

async function untilStopped(
  exited: Promise<number>,
  { signal, timeoutMs }: Pick<ProgramRun, 'signal' | 'timeoutMs'>,
): Promise<'exit' | 'timeout' | 'interrupt'> {
  const over = new AbortController();
  const timeout = Promise.withResolvers<'timeout'>();
  const timer = setTimeout(() => timeout.resolve('timeout'), timerMs(timeoutMs));
  const interrupted = new Promise<'interrupt'>((resolve) => {
    if (signal.aborted) resolve('interrupt');
    signal.addEventListener('abort', () => resolve('interrupt'), { once: true, signal: over.signal });
  });
  try {
    return await Promise.race([exited.then(() => 'exit' as const), timeout.promise, interrupted]);
  } finally {
    clearTimeout(timer);
    over.abort();
  }
}

async function closed(stream: Readable): Promise<void> {
  await drained(stream);
  stream.destroy();
}
