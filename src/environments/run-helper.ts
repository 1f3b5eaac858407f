/** Runs another program that may neither ask, nor linger, nor flood: in a session of its own, which is ended as a whole. */
import { spawn } from 'node:child_process';

export interface HelperOptions {
  /** All that it gets to see. */
  readonly env: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
  /** Of each stream; more ends it. */
  readonly maxBytes: number;
  /** Where it runs; default: where this process does. */
  readonly cwd?: string;
  /** What it reads; default: nothing. */
  readonly input?: string;
}

export interface HelperRun {
  /** Null when a signal ended it. */
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** What it left running may hold its streams open. */
const closeMs = 1000;

/** Rejects with Node's error when it cannot be started, with the reason of `signal`, and when it writes too much. */
export async function runHelper(file: string, args: readonly string[], options: HelperOptions): Promise<HelperRun> {
  const { env, signal, maxBytes, cwd, input = '' } = options;
  signal.throwIfAborted();
  // Without a terminal of its own to ask on.
  const child = spawn(file, [...args], {
    env: { ...env },
    ...(cwd === undefined ? {} : { cwd }),
    stdio: ['pipe', 'pipe', 'pipe'],
    detached: process.platform !== 'win32',
    windowsHide: true,
  });
  const { promise, resolve, reject } = Promise.withResolvers<number | null>();
  const give = (reason: unknown): void => {
    endGroup(child.pid);
    child.stdout.destroy();
    child.stderr.destroy();
    reject(reason);
  };
  const stop = (): void => give(signal.reason);
  const written = { stdout: [] as Buffer[], stderr: [] as Buffer[] };
  for (const name of ['stdout', 'stderr'] as const) {
    let size = 0;
    child[name].on('data', (piece: Buffer) => {
      size += piece.length;
      if (size > maxBytes) give(new Error(`it wrote more than ${maxBytes} bytes`));
      else written[name].push(piece);
    });
  }
  let closing: NodeJS.Timeout | undefined;
  child.once('error', reject);
  child.once('close', resolve);
  // It need not read what it is given.
  child.stdin.on('error', () => undefined);
  child.stdin.end(input);
  child.once('exit', () => {
    closing = setTimeout(() => {
      child.stdout.destroy();
      child.stderr.destroy();
    }, closeMs);
  });
  signal.addEventListener('abort', stop, { once: true });
  try {
    const code = await promise;
    return { code, stdout: textOf(written.stdout), stderr: textOf(written.stderr) };
  } finally {
    clearTimeout(closing);
    signal.removeEventListener('abort', stop);
  }
}

function textOf(pieces: readonly Buffer[]): string {
  return Buffer.concat(pieces).toString('utf8');
}

/** Ends a program that was started in a group of its own, with all that it started. */
export function endGroup(leader: number | undefined): void {
  if (leader === undefined) return;
  try {
    process.kill(process.platform === 'win32' ? leader : -leader, 'SIGKILL');
  } catch {
    // It is gone already.
  }
}
