/** Makes a picture smaller in a thread of its own: decoding takes seconds and hundreds of megabytes, and may break. */
import { Worker } from 'node:worker_threads';
import * as z from 'zod';
import { errorMessage, UserError } from '../lib/errors.ts';
import { workerFile } from '../lib/worker-file.ts';

const madeSchema = z.object({
  bytes: z.instanceof(Uint8Array),
  type: z.enum(['image/png', 'image/jpeg']),
  width: z.int(),
  height: z.int(),
});

const deadlineMs = 60_000;

/** Throws the signal's reason when it aborts, and `UserError` when the picture cannot be decoded. */
export async function shrink(
  bytes: Buffer,
  orientation: number,
  name: string,
  signal: AbortSignal,
): Promise<z.infer<typeof madeSchema>> {
  signal.throwIfAborted();
  const deadline = AbortSignal.timeout(deadlineMs);
  const worker = new Worker(workerFile(import.meta, 'picture-worker'), {
    workerData: { bytes, orientation },
    env: {},
    execArgv: [],
    stdout: true,
    stderr: true,
    resourceLimits: { maxOldGenerationSizeMb: 256 },
  });
  const { promise, resolve } = Promise.withResolvers<string>();
  let made: z.infer<typeof madeSchema> | undefined;
  worker.on('message', (message: unknown) => {
    made = madeSchema.parse(message);
    resolve('');
  });
  worker.on('error', (error) =>
    resolve(/unreachable/.test(errorMessage(error)) ? 'it is broken' : errorMessage(error)),
  );
  worker.on('exit', () => resolve('its thread ended early'));
  const stop = (): void => resolve(`it took longer than ${deadlineMs / 1000} seconds`);
  const either = AbortSignal.any([signal, deadline]);
  either.addEventListener('abort', stop, { once: true });
  try {
    const problem = await promise;
    signal.throwIfAborted();
    if (made !== undefined) return made;
    throw new UserError(`${name} cannot be made smaller: ${problem}.`, {
      hint: 'Save it anew, or make it smaller first.',
    });
  } finally {
    either.removeEventListener('abort', stop);
    await worker.terminate();
  }
}
