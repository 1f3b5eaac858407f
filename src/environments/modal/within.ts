/** Waiting for a library that takes no signals. */

/**
 * What a promise becomes, unless a deadline or a signal comes first; then what it stands for goes on unheard.
 * @param late what is told at the deadline
 */
export async function before<T>(
  promise: Promise<T>,
  timeoutMs: number,
  signal: AbortSignal | undefined,
  late: string,
): Promise<T> {
  const { promise: given, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new Error(`${late} within ${timeoutMs / 1000} s`)), timeoutMs);
  const onAbort = (): void => reject(signal?.reason);
  signal?.addEventListener('abort', onAbort, { once: true });
  if (signal?.aborted === true) onAbort();
  promise.catch(() => undefined);
  try {
    return await Promise.race([promise, given]);
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', onAbort);
  }
}
