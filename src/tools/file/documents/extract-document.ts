/** Takes the text out of a document in a thread of its own: one can be built to take minutes, and everything else goes on meanwhile. */
import { Worker } from 'node:worker_threads';
import { workerFile } from '../../../lib/worker-file.ts';
import type { DocumentKind } from './document-kind.ts';

const deadlineMs = 30_000;
const maxMemoryMb = 768;

/** Undefined for what is broken, locked, or takes too long or too much memory. Throws the signal's reason when it aborts. */
export async function extractDocument(
  kind: DocumentKind,
  bytes: Uint8Array,
  signal: AbortSignal,
): Promise<string | undefined> {
  signal.throwIfAborted();
  const worker = new Worker(workerFile(import.meta, 'document-worker'), {
    workerData: { kind, bytes },
    env: {},
    execArgv: [],
    stdout: true,
    stderr: true,
    resourceLimits: { maxOldGenerationSizeMb: maxMemoryMb },
  });
  const { promise, resolve } = Promise.withResolvers<string | undefined>();
  worker.on('message', (text: unknown) => resolve(typeof text === 'string' ? text : undefined));
  worker.on('error', () => resolve(undefined));
  worker.on('exit', () => resolve(undefined));
  const stop = (): void => resolve(undefined);
  const either = AbortSignal.any([signal, AbortSignal.timeout(deadlineMs)]);
  either.addEventListener('abort', stop, { once: true });
  try {
    const text = await promise;
    signal.throwIfAborted();
    return text;
  } finally {
    either.removeEventListener('abort', stop);
    await worker.terminate();
  }
}
