/** Runs a program that can ask nothing, and keeps what it writes. */
import { spawn } from 'node:child_process';
import type { Variables } from '../config/variables.ts';

export interface CaptureOptions {
  readonly env: Variables;
  readonly timeoutMs: number;
  /** Of each stream; the rest is dropped. Default 200,000. */
  readonly maxCharacters?: number;
  /** Ends it; then it rejects. */
  readonly signal?: AbortSignal;
}

export interface Captured {
  /** Null when a signal ended it, as happens after `timeoutMs`. */
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Rejects with Node's error when it cannot be started. */
export async function runCaptured(file: string, args: readonly string[], options: CaptureOptions): Promise<Captured> {
  const { env, timeoutMs, maxCharacters = 200_000, signal } = options;
  const bounds = { timeout: timeoutMs, ...(signal === undefined ? {} : { signal }) };
  const child = spawn(file, [...args], { env: { ...env }, stdio: ['ignore', 'pipe', 'pipe'], ...bounds });
  const text = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].setEncoding('utf8').on('data', (piece: string) => {
      text[name] += piece.slice(0, maxCharacters - text[name].length);
    });
  }
  const { promise, resolve, reject } = Promise.withResolvers<Pick<Captured, 'code' | 'signal'>>();
  child.once('error', reject);
  child.once('close', (code, signal) => resolve({ code, signal }));
  return { ...(await promise), ...text };
}
