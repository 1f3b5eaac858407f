/** One protocol over a pool of credentials: a request that a key is refused for goes out again with the next one. */
import { setTimeout as delay } from 'node:timers/promises';
import { errorMessage } from '../lib/errors.ts';
import { ModelError } from '../llm/model-error.ts';
import type { ModelEvent, ModelRequest, Protocol } from '../llm/protocol.ts';
import type { Credential, CredentialPool, Outcome, PoolAdvice } from './credential.ts';
import { movesOn, outcomeOf } from './outcome-of.ts';

/** Credentials that a protocol is kept open for. */
const maxOpen = 8;
/** A provider that asks for a longer pause is asked again at once, once; the pool then rests the key. */
const maxPauseMs = 5000;
/** Uses of one secret within one request: the first, and once more when the pool advises it. */
const maxUses = 2;

/** A request moves on to another credential only as long as nothing of an answer was yielded. */
export class PooledProtocol implements Protocol {
  readonly #pool: CredentialPool;
  readonly #open: (credential: Credential) => Promise<Protocol>;
  readonly #opened = new Map<string, Promise<Protocol>>();

  /** `open` makes the protocol for a credential; it is kept for as long as the secret is the same. */
  constructor(pool: CredentialPool, open: (credential: Credential) => Promise<Protocol>) {
    this.#pool = pool;
    this.#open = open;
  }

  async *stream(request: ModelRequest, signal: AbortSignal): AsyncGenerator<ModelEvent> {
    const pool = this.#pool;
    const uses = new Map<string, number>();
    let again: Credential | undefined;
    let failed: ModelError | undefined;
    for (;;) {
      const credential = again ?? (await takeFrom(pool, signal));
      const used = credential === undefined ? 0 : (uses.get(keyOf(credential)) ?? 0);
      if (credential === undefined) throw failed ?? nothingLeft(pool);
      if (used >= maxUses) {
        await pool.report(credential, unused, signal);
        throw failed ?? nothingLeft(pool);
      }
      uses.set(keyOf(credential), used + 1);
      const attempt = yield* this.#tryWith(credential, request, signal);
      if (attempt === 'done') return;
      failed = attempt.error;
      if (attempt.advice === 'none') throw lostLogin(pool, failed) ?? failed;
      again = attempt.advice === 'same' ? credential : undefined;
      if (again !== undefined) await pause(failed.retryAfterMs, signal);
    }
  }

  /** Throws what no other credential would change. */
  async *#tryWith(
    credential: Credential,
    request: ModelRequest,
    signal: AbortSignal,
  ): AsyncGenerator<ModelEvent, Attempt> {
    let yielded = false;
    let reported = false;
    const report = async (outcome: Outcome): Promise<PoolAdvice> => {
      reported = true;
      return await this.#pool.report(credential, outcome, signal);
    };
    try {
      const protocol = await this.#protocolFor(credential);
      for await (const event of protocol.stream(request, signal)) {
        // Before it is handed on: whoever gets it does not come back.
        if (event.type === 'done') await report({ kind: 'ok' });
        yielded = true;
        yield event;
      }
      return 'done';
    } catch (thrown) {
      const error = asModelError(thrown, signal);
      if (reported) throw error;
      const advice = await settled(report(outcomeOf(error)), error);
      if (yielded || !movesOn.has(error.kind)) throw error;
      return { error, advice };
    } finally {
      if (!reported) await this.#pool.report(credential, unused, signal);
    }
  }

  async #protocolFor(credential: Credential): Promise<Protocol> {
    const key = keyOf(credential);
    const protocol = this.#opened.get(key) ?? this.#open(credential);
    // The newest stand last; one that failed to open is not kept.
    this.#opened.delete(key);
    this.#opened.set(key, protocol);
    for (const oldest of this.#opened.keys()) {
      if (this.#opened.size <= maxOpen) break;
      this.#opened.delete(oldest);
    }
    try {
      return await protocol;
    } catch (error) {
      this.#opened.delete(key);
      throw error;
    }
  }
}

type Attempt = 'done' | { readonly error: ModelError; readonly advice: PoolAdvice };

/** Left before its end: nothing is known of the credential. */
const unused: Outcome = { kind: 'failed', exhausted: false, reason: 'not finished' };

async function takeFrom(pool: CredentialPool, signal: AbortSignal): Promise<Credential | undefined> {
  try {
    return await pool.take(signal);
  } catch (error) {
    throw asModelError(error, signal);
  }
}

/** What goes wrong while a failure is noted must not hide the failure. */
async function settled(advice: Promise<PoolAdvice>, error: ModelError): Promise<PoolAdvice> {
  try {
    return await advice;
  } catch {
    // The failure itself is what its caller can act on; the pool logs what it could not note.
    throw error;
  }
}

function asModelError(thrown: unknown, signal: AbortSignal): ModelError {
  if (thrown instanceof ModelError) return thrown;
  if (signal.aborted) return new ModelError('aborted', 'interrupted');
  return new ModelError('network', `the credential could not be made ready: ${errorMessage(thrown)}`, {
    cause: thrown,
  });
}

function nothingLeft(pool: CredentialPool): ModelError {
  const known = pool.nothingLeft?.();
  return known === undefined
    ? new ModelError('auth', 'No credential is left for this provider; see `hermes auth list`.')
    : new ModelError(known.kind, known.message);
}

/** "Unauthorized" helps nobody when the login has ended and we know it. */
function lostLogin(pool: CredentialPool, error: ModelError): ModelError | undefined {
  const known = error.kind === 'auth' ? pool.nothingLeft?.() : undefined;
  return known?.kind === 'auth' ? new ModelError('auth', known.message, { cause: error }) : undefined;
}

async function pause(ms: number | undefined, signal: AbortSignal): Promise<void> {
  if (ms === undefined || ms > maxPauseMs) return;
  try {
    await delay(ms, undefined, { signal });
  } catch {
    // Only the signal ends a pause early.
    throw new ModelError('aborted', 'interrupted');
  }
}

function keyOf({ id, secret }: Credential): string {
  return `${id}\n${secret}`;
}
