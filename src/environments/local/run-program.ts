/** One program without a shell: bounded output, a deadline, nothing left behind. */
import { spawn } from 'node:child_process';
import { StringDecoder } from 'node:string_decoder';
import type { Readable } from 'node:stream';
import { timerMs } from '../../lib/timer-limit.ts';
import type { Environment } from '../environment.ts';
import { killTree } from './process-tree.ts';
import { drained, exitStatus } from './shell-session.ts';

type ProgramOptions = Parameters<Environment['runProgram']>[1];
type ProgramResult = Awaited<ReturnType<Environment['runProgram']>>;

const maxStderrChars = 10_000;

/**
 * Runs `argv` with nothing on stdin. Output beyond `maxOutput` is read and dropped. Exit code 124 after the deadline,
 * 130 after an abort; rejects with Node's error when the program cannot be started.
 * @param mark text in `env` that no other process carries
 */
export function runProgram(
  argv: readonly string[],
  options: Omit<ProgramOptions, 'cwd'> & { readonly cwd: string },
  env: Readonly<Record<string, string>>,
  mark: string,
): Promise<ProgramResult> {
  const [program, ...args] = argv;
  if (program === undefined) return Promise.reject(new TypeError('runProgram needs the name of a program'));
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { cwd: options.cwd, env, detached: true, stdio: ['ignore', 'pipe', 'pipe'] });
    const stdout = collect(child.stdout, options.maxOutput);
    const stderr = collect(child.stderr, maxStderrChars);
    let stopped: 124 | 130 | undefined;
    const stop = (code: 124 | 130): void => {
      if (stopped !== undefined || child.pid === undefined) return;
      stopped = code;
      void killTree({ leaders: [child.pid], mark });
    };
    const timer = setTimeout(() => stop(124), timerMs(options.timeoutMs));
    const onAbort = (): void => stop(130);
    options.signal.addEventListener('abort', onAbort, { once: true });
    const settle = (): void => {
      clearTimeout(timer);
      options.signal.removeEventListener('abort', onAbort);
    };
    child.once('error', (error) => {
      settle();
      reject(error);
    });
    child.once('exit', (code, signal) => {
      settle();
      void Promise.all([drained(child.stdout), drained(child.stderr)]).then(() => {
        child.stdout.destroy();
        child.stderr.destroy();
        const exitCode = stopped ?? exitStatus(code, signal);
        resolve({ output: stdout.text(), stderr: stderr.text(), exitCode, truncated: stdout.truncated() });
      });
    });
    if (options.signal.aborted) onAbort();
  });
}

function collect(stream: Readable, limit: number): { text(): string; truncated(): boolean } {
  const decoder = new StringDecoder('utf8');
  let text = '';
  let cut = false;
  stream.on('data', (chunk: Buffer) => {
    if (cut) return;
    text += decoder.write(chunk);
    if (text.length <= limit) return;
    text = text.slice(0, limit);
    cut = true;
  });
  return { text: () => text, truncated: () => cut };
}
