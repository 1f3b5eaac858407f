/** Commands that keep running: with pipes, or in a terminal of their own. */
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { closeSync, writeFileSync } from 'node:fs';
import { Socket } from 'node:net';
import { join } from 'node:path';
import { StringDecoder } from 'node:string_decoder';
import type { BackgroundProcess } from '../environment.ts';
import { RollingOutput } from '../rolling-output.ts';
import type { ShellProgram } from './find-shell.ts';
import { openPipe } from './pipe.ts';
import { killTree } from './process-tree.ts';
import { drained, exitStatus } from './shell-session.ts';
import { backgroundScript, quote, type ShellBeginning } from './shell-text.ts';

export interface BackgroundOptions {
  readonly program: ShellProgram;
  /** Words in front of the shell, which lead it to the place where it runs. */
  readonly prefix: readonly string[];
  /** `script` of util-linux, where the terminal must be made behind these words. */
  readonly terminalMaker?: string | undefined;
  readonly command: string;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly fixed: Readonly<Record<string, string>>;
  readonly beginning: ShellBeginning;
  /** Text in the environment of this process's tree and of no other. */
  readonly mark: string;
  /** A folder of ours for short-lived files, and one that the shell reads. */
  readonly scratch: string;
  readonly scriptFolder: string;
  /** Milliseconds between SIGTERM and SIGKILL; with 0 there is no SIGKILL. */
  readonly graceMs: number;
}

const maxEarlyChars = 200_000;
const terminalSize = { rows: 30, cols: 120 } as const;

/** Starts a command in a session of its own. It reads nothing: what asks questions needs a terminal. */
export async function spawnWithPipes(options: BackgroundOptions): Promise<BackgroundProcess> {
  const output = await openPipe(options.scratch);
  const [program, ...args] = programWords(options, true);
  const child = spawn(program, args, {
    detached: true,
    cwd: '/',
    env: options.env,
    stdio: ['ignore', output?.writeEnd ?? 'pipe', 'ignore'],
  });
  if (output !== undefined) closeSync(output.writeEnd);
  const reader = output === undefined ? child.stdout : new Socket({ fd: output.readEnd, writable: false });
  const listeners = new OutputListeners();
  const decoder = new StringDecoder('utf8');
  reader?.on('data', (chunk: Buffer) => listeners.send(decoder.write(chunk)));
  // A command that goes away breaks its pipe; its exit says all there is to know.
  reader?.on('error', () => undefined);
  const exited = new Promise<number>((resolve) => {
    child.once('exit', (code, signal) => {
      void (reader === null ? Promise.resolve() : drained(reader)).then(() => {
        listeners.send(decoder.end());
        resolve(exitStatus(code, signal));
      });
    });
  });
  await new Promise<void>((resolve, reject) => {
    child.once('spawn', resolve);
    child.once('error', (error) => {
      reader?.destroy();
      reject(error);
    });
  });
  const pid = child.pid ?? 0;
  return {
    pid,
    exited,
    onOutput: (listener) => listeners.add(listener),
    write: () => false,
    endInput: () => false,
    kill: async () => {
      await killTree({ leaders: [pid], mark: options.mark, graceMs: options.graceMs });
      reader?.destroy();
    },
  };
}

/**
 * Starts a command in a pseudo-terminal of 30 rows and 120 columns.
 * @throws when this machine cannot make one
 */
export async function spawnInTerminal(options: BackgroundOptions): Promise<BackgroundProcess> {
  const { spawn: spawnTerminal } = await import('@lydell/node-pty');
  const [program, ...args] = terminalWords(options);
  const terminal = spawnTerminal(program, args, {
    ...terminalSize,
    name: 'xterm-256color',
    cwd: '/',
    env: options.env,
    encoding: 'utf8',
  });
  const listeners = new OutputListeners();
  terminal.onData((text) => listeners.send(text));
  let running = true;
  const exited = new Promise<number>((resolve) => {
    terminal.onExit(({ exitCode, signal }) => {
      running = false;
      resolve(signal === undefined || signal === 0 ? exitCode : 128 + signal);
    });
  });
  return {
    pid: terminal.pid,
    exited,
    onOutput: (listener) => listeners.add(listener),
    write: (data) => {
      if (running) terminal.write(data);
      return running;
    },
    endInput: () => {
      if (running) terminal.write(endOfTransmission);
      return running;
    },
    kill: () => killTree({ leaders: [terminal.pid], mark: options.mark, graceMs: options.graceMs }),
  };
}

/** Ctrl+D: what a terminal in its usual mode takes for the end of input. */
const endOfTransmission = '\u0004';

function programWords(options: BackgroundOptions, mergeStderr: boolean): [string, ...string[]] {
  const [first, ...rest] = [...options.prefix, options.program.path, writeScript(options, mergeStderr)];
  return [first ?? options.program.path, ...rest];
}

/**
 * In a sandbox the command gets a second terminal, which is made there: a program knows its terminal by a name below
 * `/dev`, and the devices of a sandbox are its own. What programs push into it (TIOCSTI, where the kernel still lets them)
 * is read inside; the one outside has no other reader than the sandbox either.
 */
function terminalWords(options: BackgroundOptions): [string, ...string[]] {
  const { terminalMaker, prefix, program, env } = options;
  const [first] = prefix;
  if (terminalMaker === undefined || first === undefined) return programWords(options, false);
  const shell = env['SHELL'];
  const restore = shell === undefined ? 'unset SHELL' : `SHELL=${quote(shell)}`;
  const command = `${restore}; exec ${quote(program.path)} ${quote(writeScript(options, false))}`;
  const words = [terminalMaker, '-qefc', command, '/dev/null'];
  return [first, ...prefix.slice(1), '/bin/sh', '-c', makeTerminal, 'terminal', ...words];
}

/**
 * It starts its command with what `SHELL` names, which may be no shell for that, and tells on its own standard error when
 * it is ended.
 */
const makeTerminal = 'SHELL=/bin/sh; export SHELL; exec "$@" 2>/dev/null';

/** The script removes itself; it is a file because arguments are visible to every user of the machine. */
function writeScript(options: BackgroundOptions, mergeStderr: boolean): string {
  const path = join(options.scriptFolder, `run-${randomBytes(6).toString('hex')}`);
  const { command, cwd, beginning, fixed } = options;
  const { dialect } = options.program;
  const text = backgroundScript({ dialect, path, cwd, beginning, fixed, command, mergeStderr });
  writeFileSync(path, text, { mode: 0o600, flag: 'wx' });
  return path;
}

/** Passes output on; what comes before the first listener waits for it, within a bound. */
class OutputListeners {
  readonly #listeners: ((chunk: string) => void)[] = [];
  readonly #early = new RollingOutput(maxEarlyChars);

  add(listener: (chunk: string) => void): void {
    const early = this.#listeners.length === 0 ? this.#early.tail() : '';
    this.#listeners.push(listener);
    if (early !== '') listener(early);
  }

  send(chunk: string): void {
    if (chunk === '') return;
    if (this.#listeners.length === 0) this.#early.push(chunk);
    for (const listener of this.#listeners) listener(chunk);
  }
}
