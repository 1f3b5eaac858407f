/** Errors of an adapter of a plug-in: whatever it throws, in one line, and whether it makes sense to try again. */
import * as z from 'zod';
import { errorMessage } from '../../lib/errors.ts';
import { PlatformError } from '../platform/platform-error.ts';

const told = z.looseObject({
  code: z.string().regex(/^[\w-]{1,64}$/),
  retryable: z.boolean(),
});

/** One that says neither a `code` nor whether it is `retryable` is tried again. */
export function platformError(name: string, error: unknown): PlatformError {
  if (error instanceof PlatformError) return error;
  const { data } = told.safeParse(error);
  return new PlatformError(data?.code ?? `${name}_error`, oneLine(errorMessage(error)), {
    retryable: data?.retryable ?? true,
    cause: error,
  });
}

export function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim().slice(0, 300).toWellFormed();
}
