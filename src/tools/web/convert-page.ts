/** Converts a page in a thread of its own: a page can be built to take minutes, and everything else goes on meanwhile. */
import { Worker } from 'node:worker_threads';
import * as z from 'zod';
import { errorMessage, UserError } from '../../lib/errors.ts';
import { workerFile } from '../../lib/worker-file.ts';

const convertedSchema = z.object({ kind: z.enum(['plain', 'whole']), title: z.string(), markdown: z.string() });

export interface ConvertOptions {
  readonly signal: AbortSignal;
  /** Default 8,000. */
  readonly timeoutMs?: number;
}

/**
 * The page as Markdown; where that takes too long or too much memory, its plain text. Throws the signal's reason when
 * it aborts, and `UserError` when there is not even plain text in time.
 */
export async function convertPage(
  html: string,
  url: string,
  { signal, timeoutMs = 8_000 }: ConvertOptions,
): Promise<{ title: string; markdown: string }> {
  signal.throwIfAborted();
  const deadline = AbortSignal.timeout(timeoutMs);
  const worker = new Worker(workerFile(import.meta, 'page-worker'), {
    workerData: { html, url },
    env: {},
    execArgv: [],
    stdout: true,
    stderr: true,
    resourceLimits: { maxOldGenerationSizeMb: 512 },
  });
  const { promise, resolve } = Promise.withResolvers<string>();
  let converted: z.infer<typeof convertedSchema> | undefined;
  worker.on('message', (message: unknown) => {
    converted = convertedSchema.parse(message);
    if (converted.kind === 'whole') resolve('');
  });
  worker.on('error', (error) => resolve(errorMessage(error)));
  worker.on('exit', () => resolve('the conversion ended early'));
  const stop = (): void => resolve(`it took longer than ${timeoutMs / 1_000} seconds`);
  const either = AbortSignal.any([signal, deadline]);
  either.addEventListener('abort', stop, { once: true });
  try {
    const problem = await promise;
    signal.throwIfAborted();
    if (converted !== undefined) return { title: converted.title, markdown: converted.markdown };
    throw new UserError(`The text of ${URL.parse(url)?.host ?? 'the page'} could not be extracted: ${problem}.`, {
      hint: 'Save the part that matters in a file and attach that.',
    });
  } finally {
    either.removeEventListener('abort', stop);
    await worker.terminate();
  }
}
