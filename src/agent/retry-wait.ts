/** How long to wait before a model is asked again. */
import { errorCode } from '../lib/errors.ts';
import type { ModelError } from '../llm/model-error.ts';

/** Nothing listens, there is no such socket, or the name does not resolve: worth a short second look, not a minute of waiting. */
export function neverConnected(error: ModelError): boolean {
  const code = errorCode(error.cause);
  return (
    code === 'ECONNREFUSED' ||
    code === 'ENOENT' ||
    code === 'ENOTFOUND' ||
    code === 'EHOSTUNREACH' ||
    code === 'ENETUNREACH'
  );
}

/** Nobody sits in front of a silent terminal for longer; asked for more, the provider's words end the turn instead. */
const maxWaitMs = 90_000;

/** Longer than anybody waits. */
export function asksTooMuch({ retryAfterMs = 0 }: ModelError): boolean {
  return retryAfterMs > maxWaitMs;
}

/** Milliseconds before retry `n` (from 1). A provider's own `Retry-After` is obeyed. */
export function waitMs(error: ModelError, n: number, random: number): number {
  const jitter = 1 + random / 4;
  if (neverConnected(error)) return 500 * 2 ** (n - 1) * jitter;
  const base = error.kind === 'malformed' ? Math.min(5 * 2 ** (n - 1), 120) : Math.min(2 ** n, 60);
  return Math.max(base * 1000 * jitter, Math.min(error.retryAfterMs ?? 0, maxWaitMs));
}
