/** Converts a page in a thread of its own: a page can be built to take minutes, and everything else goes on meanwhile. */
import { Worker } from 'node:worker_threads';
import * as z from 'zod';
import { errorMessage, UserError } from '../../lib/errors.ts';
import { workerFile } from '../../lib/worker-file.ts';

const convertedSchema = z.object({ title: z.string(), markdown: z.string() });

export interface PageSource {
  readonly text: string;
  /** Where it is from: what its links are relative to. */
  readonly url: string;
  readonly kind: 'html' | 'feed';
}

export interface ConvertOptions {
  readonly signal: AbortSignal;
  /** Default 8,000. */
  readonly timeoutMs?: number;
}

/** One page. The thread comes to life at once, while the page is still on its way; to be closed whatever happens. */
export class PageConverter implements AsyncDisposable {
  readonly #worker = new Worker(workerFile(import.meta, 'page-worker'), {
    env: {},
    execArgv: [],
    stdout: true,
    stderr: true,
    // The young generation is for a page: with less it would be tidied up all the time.
    resourceLimits: { maxOldGenerationSizeMb: 512, maxYoungGenerationSizeMb: 64 },
  });
  readonly #ended = Promise.withResolvers<string>();
  #converted: z.infer<typeof convertedSchema> | undefined;

  constructor() {
    this.#worker.on('message', (message: unknown) => {
      this.#converted = convertedSchema.parse(message);
      this.#ended.resolve('');
    });
    this.#worker.on('error', (error) => this.#ended.resolve(errorMessage(error)));
    this.#worker.on('exit', () => this.#ended.resolve('the conversion ended early'));
  }

  /**
   * The page as Markdown. To be called once. Throws the signal's reason when it aborts, and `UserError` where it takes too
   * long or too much memory.
   */
  async convert(
    page: PageSource,
    { signal, timeoutMs = 8_000 }: ConvertOptions,
  ): Promise<{ title: string; markdown: string }> {
    signal.throwIfAborted();
    const stop = (): void => this.#ended.resolve(`it took longer than ${timeoutMs / 1_000} seconds`);
    const either = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]);
    either.addEventListener('abort', stop, { once: true });
    try {
      this.#worker.postMessage(page, []);
      const problem = await this.#ended.promise;
      signal.throwIfAborted();
      if (this.#converted !== undefined) return this.#converted;
      throw new UserError(
        `The text of ${URL.parse(page.url)?.host ?? 'the page'} could not be extracted: ${problem}.`,
        {
          hint: 'Save the part that matters in a file and attach that.',
        },
      );
    } finally {
      either.removeEventListener('abort', stop);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#worker.terminate();
  }
}
