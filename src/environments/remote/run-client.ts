/** Runs the program that carries commands to a host: `ssh`, `docker`, `apptainer`. */
import { spawn } from 'node:child_process';
import type { Variables } from '../../config/variables.ts';
import { exitStatus } from '../local/shell-session.ts';
import { unrefStream } from '../local/supervisor.ts';
import type { HostEnd, HostRun } from './host.ts';

const maxComplaintChars = 4000;
/** What a client that was told to go gets before it is ended by force. */
const clientGraceMs = 2000;

/** How long a client that has ended is still listened to for complaints. */
const complaintLimitMs = 100;

/**
 * Feeds `input`, hands over what it writes, and keeps the end of what it says on stderr. Ends it at the deadline and with
 * the signal, and rejects then with the signal's reason; rejects with Node's error when it cannot be started.
 */
export function runClient(argv: readonly [string, ...string[]], env: Variables, run: HostRun): Promise<HostEnd> {
  const [program, ...args] = argv;
  const { promise, resolve, reject } = Promise.withResolvers<HostEnd>();
  const signal = AbortSignal.any([run.signal, AbortSignal.timeout(run.timeoutMs)]);
  if (signal.aborted) return Promise.reject(asError(signal.reason));
  // In a session of its own, so that Ctrl+C in our terminal is ours to handle.
  const child = spawn(program, args, { env: { ...env }, detached: true, stdio: ['pipe', 'pipe', 'pipe'] });
  let complaint = '';
  let force: NodeJS.Timeout | undefined;
  const onAbort = (): void => {
    child.kill('SIGTERM');
    force = setTimeout(() => child.kill('SIGKILL'), clientGraceMs);
    child.stdout.destroy();
    child.stderr.destroy();
    reject(asError(signal.reason));
  };
  signal.addEventListener('abort', onAbort, { once: true });
  child.stdout.on('data', (bytes: Buffer) => run.onOutput(bytes));
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    complaint = `${complaint}${text}`.slice(-maxComplaintChars);
  });
  // A command that does not read its input closes it early: EPIPE is then no failure.
  child.stdin.on('error', () => undefined);
  child.stdin.end(run.input);
  child.once('error', (error) => {
    signal.removeEventListener('abort', onAbort);
    reject(error);
  });
  child.once('exit', () => {
    clearTimeout(force);
    // What a client leaves running (the master connection of ssh) may hold its stderr open.
    setTimeout(() => child.stderr.destroy(), complaintLimitMs);
  });
  child.once('close', (code, name) => {
    signal.removeEventListener('abort', onAbort);
    resolve({ exitCode: exitStatus(code, name), complaint: complaint.trim() });
  });
  return promise;
}

/**
 * Runs a program whose input stays open as long as this process lives; it does not keep it alive. The returned function
 * sends one byte and ends the input.
 */
export function holdClient(argv: readonly [string, ...string[]], env: Variables, input: Uint8Array): () => void {
  const [program, ...args] = argv;
  const child = spawn(program, args, { env: { ...env }, detached: true, stdio: ['pipe', 'ignore', 'ignore'] });
  // Without it nothing is lost but what it would do when we are killed.
  child.on('error', () => undefined);
  child.stdin.on('error', () => undefined);
  child.stdin.write(input);
  child.unref();
  unrefStream(child.stdin);
  return () => void child.stdin.end('.');
}

function asError(reason: unknown): Error {
  return reason instanceof Error ? reason : new Error(String(reason));
}
