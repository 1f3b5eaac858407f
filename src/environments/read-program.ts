/** Reads what another program writes while it runs; whoever stops reading ends it. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { RollingOutput } from './rolling-output.ts';
import { endGroup } from './run-helper.ts';

export interface ReadOptions {
  /** All that it gets to see. */
  readonly env: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
}

/** How it ended by itself. */
export interface ReadEnd {
  /** Null when a signal ended it. */
  readonly code: number | null;
  /** The end of its error output. */
  readonly complaints: string;
}

const maxComplaintChars = 2000;

/**
 * Its output, piece by piece. It runs in a session of its own, and has ended when this settles: by itself, with the signal,
 * or because nobody reads on. Rejects with Node's error when it cannot be started, and with the signal's reason.
 */
export async function* readProgram(
  file: string,
  args: readonly string[],
  { env, signal }: ReadOptions,
): AsyncGenerator<Buffer, ReadEnd> {
  signal.throwIfAborted();
  const child = spawn(file, [...args], {
    env: { ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: process.platform !== 'win32',
    windowsHide: true,
  });
  // Rejects when it cannot be started.
  await once(child, 'spawn');
  let running = true;
  const ended = Promise.withResolvers<number | null>();
  child.once('exit', (code) => {
    running = false;
    ended.resolve(code);
  });
  const complaints = new RollingOutput(maxComplaintChars);
  child.stderr.setEncoding('utf8').on('data', (text: string) => complaints.push(text));
  const stop = (): void => {
    if (running) endGroup(child.pid);
    child.stdout.destroy();
  };
  signal.addEventListener('abort', stop, { once: true });
  try {
    yield* pieces(child.stdout, signal);
    const code = await ended.promise;
    signal.throwIfAborted();
    return { code, complaints: complaints.tail().trim() };
  } finally {
    signal.removeEventListener('abort', stop);
    stop();
    child.stderr.destroy();
    await ended.promise;
  }
}

async function* pieces(output: AsyncIterable<Buffer>, signal: AbortSignal): AsyncGenerator<Buffer, void> {
  try {
    for await (const piece of output) yield piece;
  } catch (error) {
    // It was closed under the reader's hands.
    signal.throwIfAborted();
    throw error;
  }
}
