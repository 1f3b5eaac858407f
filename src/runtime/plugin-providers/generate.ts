/** Has the code of a plug-in make something, and takes what it says of it. */
import type * as z from 'zod';
import { errorMessage } from '../../lib/errors.ts';
import type { PluginProvider } from '../../plugins/packages/provider.ts';
import { ServiceError } from '../../tools/making/ask-service.ts';
import { readAnswer } from './read-answer.ts';

/** A video takes minutes. */
const deadlineMs = 900_000;

/** Throws `ServiceError`, and the signal's reason. */
export async function generate<T extends z.ZodType>(
  provider: PluginProvider,
  given: readonly unknown[],
  schema: T,
  signal: AbortSignal,
): Promise<z.infer<T>> {
  try {
    return readAnswer(provider, schema, await provider.ask('generate', given, { signal, deadlineMs }));
  } catch (error) {
    signal.throwIfAborted();
    throw new ServiceError(errorMessage(error), undefined, error);
  }
}
