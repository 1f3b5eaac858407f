/** The two programs that are compared, each run as its users run it: arguments, a home, a folder, an exit code. */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { PythonPackages } from '../real/python-packages.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

export interface Run {
  readonly args: readonly string[];
  readonly home: string;
  readonly cwd: string;
  readonly env?: Readonly<Record<string, string>>;
}

export interface Ran {
  /** Negative: the signal that ended it. */
  readonly exit: number;
  readonly stdout: string;
  readonly stderr: string;
}

export interface Program extends AsyncDisposable {
  run(run: Run): Promise<Ran>;
}

/** This program, from its sources' build where there is one. */
export const ours: Program = {
  async run({ args, home, cwd, env = {} }) {
    const entry = join(root, 'bin', 'hermes.mjs');
    const child = spawn(process.execPath, [entry, ...args], {
      cwd,
      env: { ...environment(home), ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
      timeout: 60_000,
    });
    const [stdout, stderr, exit] = await Promise.all([textOf(child.stdout), textOf(child.stderr), exitOf(child)]);
    return { exit, stdout, stderr };
  },
  async [Symbol.asyncDispose]() {},
};

export interface Originals extends AsyncDisposable {
  /** Waits until one of them is free. */
  use<Result>(work: (original: Program) => Promise<Result>): Promise<Result>;
}

/** Several originals, each of which does one run at a time. */
export function openOriginals(packages: PythonPackages, count: number): Originals {
  const all = Array.from({ length: count }, () => openOriginal(packages));
  const free = [...all.keys()];
  const waiting: ((index: number) => void)[] = [];
  return {
    async use(work) {
      let index = free.pop();
      index ??= await new Promise<number>((resolve) => waiting.push(resolve));
      try {
        const original = await all[index];
        if (original === undefined) throw new Error('there is no such original');
        return await work(original);
      } finally {
        const next = waiting.shift();
        if (next === undefined) free.push(index);
        else next(index);
      }
    },
    async [Symbol.asyncDispose]() {
      for (const opening of await Promise.allSettled(all)) {
        if (opening.status === 'fulfilled') await opening.value[Symbol.asyncDispose]();
      }
    },
  };
}

/** The original, kept loaded between its runs. One run at a time. */
async function openOriginal(packages: PythonPackages): Promise<Program> {
  const dir = mkdtempSync(join(tmpdir(), 'hermes-original-'));
  const server = spawn(packages.python, [fileURLToPath(new URL('run-original.py', import.meta.url))], {
    cwd: dir,
    env: environment(join(dir, 'unused')),
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const lines = createInterface({ input: server.stdout })[Symbol.asyncIterator]();
  const nextLine = async (): Promise<string> => {
    const line = await lines.next();
    if (line.done === true) throw new Error('the original has stopped');
    return line.value;
  };
  await nextLine();
  let count = 0;
  return {
    async run({ args, home, cwd, env = {} }) {
      count += 1;
      const stdout = join(dir, `${count}.out`);
      const stderr = join(dir, `${count}.err`);
      server.stdin.write(`${JSON.stringify({ args, cwd, stdout, stderr, env: { ...environment(home), ...env } })}\n`);
      const exit = Number(await nextLine());
      return { exit, stdout: readFileSync(stdout, 'utf8'), stderr: readFileSync(stderr, 'utf8') };
    },
    async [Symbol.asyncDispose]() {
      const ended = exitOf(server);
      server.stdin.end();
      await ended;
      rmSync(dir, { recursive: true, force: true });
    },
  };
}

/** `home` is the folder that others know as `~/.hermes`. */
export function environment(home: string): Record<string, string> {
  return {
    PATH: process.env['PATH'] ?? '',
    HOME: join(home, '..'),
    HERMES_HOME: home,
    LANG: 'C.UTF-8',
    NO_COLOR: '1',
    // Neither program looks anything up outside of this machine.
    HERMES_DISABLE_UPDATE_CHECK: '1',
  };
}

async function textOf(stream: NodeJS.ReadableStream): Promise<string> {
  let text = '';
  stream.setEncoding('utf8');
  for await (const chunk of stream) text += chunk;
  return text;
}

async function exitOf(child: ChildProcess): Promise<number> {
  return await new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => resolve(code ?? -1));
  });
}
