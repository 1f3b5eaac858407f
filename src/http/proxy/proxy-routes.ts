/** Forwards what clients of OpenAI ask to a provider, with the owner's credentials in place of theirs. */
import type { IncomingMessage } from 'node:http';
import { finished } from 'node:stream';
import { ReadableStream } from 'node:stream/web';
import { setTimeout as delay } from 'node:timers/promises';
import type { Credential, Outcome, PoolAdvice } from '../../credentials/credential.ts';
import { outcomeOf } from '../../credentials/outcome-of.ts';
import { Connections } from '../../lib/connections.ts';
import { errorMessage } from '../../lib/errors.ts';
import type { Log } from '../../lib/log.ts';
import { maskKeys } from '../../lib/secrets.ts';
import { statusFailure } from '../../llm/protocols/model-failure.ts';
import type { Forwarding } from '../../providers/forwarding.ts';
import { HttpError, jsonAnswer } from '../answers.ts';
import type { HttpRequest, Route, RouteGroup } from '../routes.ts';
import { headersOf, requestHeaders, responseHeaders } from './headers.ts';
import { sendUpstream, type UpstreamDeadlines } from './send-upstream.ts';
import type { Upstream } from './upstreams.ts';

export interface ProxyOptions {
  readonly upstream: Upstream;
  readonly forwarding: Forwarding;
  /** Whether there is a login or a key; asks the network for nothing. */
  readonly isSignedIn: () => boolean;
  readonly log: Log;
  readonly deadlines?: Partial<UpstreamDeadlines>;
}

const defaultDeadlines: UpstreamDeadlines = { connectMs: 15_000, silenceMs: 300_000 };
/** The first credential, the same once more where the pool advises it, and another one. */
const maxSends = 3;
/** What is read of a refusal to judge the credential by. */
const maxRefusalBytes = 1_000_000;
/** A client asks again by itself when a provider wants more time than this, in milliseconds. */
const maxPauseMs = 5000;

/** Mounted on a listener with a key: `/v1/*` asks for it, `/health` says nothing that needs one. */
export function proxyRoutes(options: ProxyOptions): RouteGroup {
  const forwarder = new Forwarder(options);
  const forward = {
    path: '/v1/*',
    access: 'key',
    handle: (request: HttpRequest) => forwarder.forward(request),
  } as const;
  const methods = ['GET', 'POST', 'PATCH', 'PUT', 'DELETE'] as const;
  return {
    name: 'proxy',
    routes: [
      { method: 'GET', path: '/health', access: 'everybody', handle: async () => forwarder.health() },
      ...methods.map((method): Route => ({ method, ...forward })),
    ],
    drain: (signal) => forwarder.drain(signal),
  };
}

class Forwarder {
  readonly #options: ProxyOptions;
  readonly #connections: Connections;
  readonly #deadlines: UpstreamDeadlines;
  readonly #underWay = new Map<AbortController, Promise<void>>();

  constructor(options: ProxyOptions) {
    this.#options = options;
    this.#connections = new Connections(options.forwarding.network);
    this.#deadlines = { ...defaultDeadlines, ...options.deadlines };
  }

  health(): Response {
    const { upstream, isSignedIn } = this.#options;
    return jsonAnswer({ status: 'ok', upstream: upstream.title, authenticated: isSignedIn() });
  }

  async drain(signal: AbortSignal): Promise<void> {
    const stop = (): void => {
      for (const one of this.#underWay.keys()) one.abort();
    };
    if (signal.aborted) stop();
    signal.addEventListener('abort', stop, { once: true });
    await Promise.all(this.#underWay.values());
    signal.removeEventListener('abort', stop);
  }

  async forward(request: HttpRequest): Promise<Response> {
    const path = this.#allowed(request);
    const stopping = new AbortController();
    const ended = Promise.withResolvers<void>();
    this.#underWay.set(stopping, ended.promise);
    const end = (): void => {
      this.#underWay.delete(stopping);
      ended.resolve();
    };
    try {
      const body = await request.bytes();
      const signal = AbortSignal.any([request.signal, stopping.signal]);
      return await this.#exchange(request, { path, body, signal, end });
    } catch (error) {
      end();
      throw error;
    }
  }

  /** The path below `/v1` with its query. */
  #allowed({ path, query }: HttpRequest): string {
    const { paths } = this.#options.upstream;
    const asked = `/${path.slice('/v1/'.length).replace(/^\/+/, '')}`;
    if (paths.includes(asked)) return query.size === 0 ? asked : `${asked}?${query.toString()}`;
    throw new HttpError(404, `/v1${asked.slice(0, 200)} is not forwarded. What is: ${paths.join(', ')}`, {
      code: 'path_not_allowed',
    });
  }

  async #exchange(request: HttpRequest, exchange: Exchange): Promise<Response> {
    let again: Credential | undefined;
    let refused: Refusal | undefined;
    for (let sends = 0; sends < maxSends; sends += 1) {
      const credential = again ?? (await this.#take(exchange.signal, refused !== undefined));
      if (credential === undefined) break;
      const { answer, advice, refusal } = await this.#send(request, exchange, credential);
      if (refusal === undefined) return this.#handOn(answer, request, exchange);
      refused = refusal;
      const isPatient = (refusal.retryAfterMs ?? 0) <= maxPauseMs;
      if (advice === 'none' || (advice === 'same' && !isPatient)) break;
      again = advice === 'same' ? credential : undefined;
      if (again !== undefined) await delay(refusal.retryAfterMs ?? 0, undefined, { signal: exchange.signal });
    }
    if (refused === undefined) throw signedOut(this.#options);
    exchange.end();
    return refused.answer;
  }

  /** Undefined when there is none, for a second attempt also when the next one cannot be made ready. */
  async #take(signal: AbortSignal, isRetry: boolean): Promise<Credential | undefined> {
    const { credentials } = this.#options.forwarding;
    try {
      return await credentials.take(signal);
    } catch (error) {
      signal.throwIfAborted();
      this.#options.log.warning('a credential could not be made ready', error);
      if (isRetry) return undefined;
      throw new HttpError(401, maskKeys(errorMessage(error)), { code: 'upstream_auth_failed', cause: error });
    }
  }

  /** Every credential that was taken is reported, whatever becomes of its request. */
  async #send(request: HttpRequest, { path, body, signal }: Exchange, credential: Credential): Promise<Sent> {
    const { forwarding, upstream, log } = this.#options;
    let outcome: Outcome = { kind: 'failed', exhausted: false, reason: 'not finished' };
    try {
      const url = forwarding.baseUrlFor(credential) + path;
      const headers = { ...requestHeaders(request.headers), ...(await forwarding.headersFor(credential)) };
      const answer = await sendUpstream(
        this.#connections,
        { method: request.method, url, headers, body },
        this.#deadlines,
        signal,
      );
      const status = answer.statusCode ?? 502;
      if (status !== 401 && status !== 429) {
        outcome = { kind: 'ok' };
        return { answer, advice: 'none' };
      }
      const text = await readRefusal(answer);
      const context = {
        provider: upstream.provider,
        model: 'a forwarded request',
        host: new URL(url).host,
        secrets: [credential.secret],
        messageCount: 0,
        requestTokens: 0,
      };
      const failed = outcomeOf(statusFailure(context, status, answer.headers, text));
      outcome = failed;
      log.warning(`${upstream.title} refused the credential '${credential.label}' with status ${status}`);
      const refusal: Refusal = {
        answer: new Response(text.replaceAll(credential.secret, '***'), {
          status,
          headers: responseHeaders(headersOf(answer), false),
        }),
        ...(failed.retryAfterMs === undefined ? {} : { retryAfterMs: failed.retryAfterMs }),
      };
      return { answer, refusal, advice: await this.#report(credential, failed, signal) };
    } finally {
      if (outcome.kind === 'ok' || outcome.reason === 'not finished') await this.#report(credential, outcome, signal);
    }
  }

  /** What cannot be noted must not hide the answer. */
  async #report(credential: Credential, outcome: Outcome, signal: AbortSignal): Promise<PoolAdvice> {
    try {
      return await this.#options.forwarding.credentials.report(credential, outcome, signal);
    } catch (error) {
      this.#options.log.warning(`how a request with '${credential.label}' went could not be noted`, error);
      return 'none';
    }
  }

  /** Packed or not, as it comes: no byte is looked at. */
  #handOn(answer: IncomingMessage, request: HttpRequest, { end }: Exchange): Response {
    finished(answer, { writable: false }, (error) => {
      end();
      if (error) this.#options.log.warning('an answer of the provider was broken off', error);
    });
    const { statusCode: status = 502 } = answer;
    const headers = responseHeaders(headersOf(answer), true);
    if (!bodyless.has(status))
      return new Response(
        streamOf(answer, () => request.cut()),
        { status, headers },
      );
    answer.resume();
    return new Response(null, { status, headers });
  }
}

interface Exchange {
  readonly path: string;
  readonly body: Buffer;
  readonly signal: AbortSignal;
  /** To be called once nothing more of it runs. */
  readonly end: () => void;
}

interface Refusal {
  readonly answer: Response;
  readonly retryAfterMs?: number;
}

interface Sent {
  readonly answer: IncomingMessage;
  readonly advice: PoolAdvice;
  /** Present when the credential was not taken; the answer has been read then. */
  readonly refusal?: Refusal;
}

/** https://fetch.spec.whatwg.org/#null-body-status */
const bodyless: ReadonlySet<number> = new Set([204, 205, 304]);

function signedOut({ upstream, forwarding }: ProxyOptions): HttpError {
  const known = forwarding.credentials.nothingLeft?.()?.message;
  return new HttpError(401, known ?? `Not logged in to ${upstream.title}. Log in with: ${upstream.login}`, {
    code: 'upstream_auth_failed',
  });
}

/** As fast as the client reads. An answer that breaks off breaks off for the client too. */
function streamOf(answer: IncomingMessage, cut: () => void): ReadableStream<Uint8Array> {
  const chunks = answer.iterator();
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      try {
        const { done, value } = await chunks.next();
        if (done === true) controller.close();
        else controller.enqueue(value);
      } catch {
        // `finished` writes it down.
        cut();
        controller.close();
      }
    },
    cancel: () => void answer.destroy(),
  });
}

/** What is longer than any refusal is cut. */
async function readRefusal(answer: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of answer) {
    chunks.push(chunk);
    size += chunk.length;
    if (size >= maxRefusalBytes) break;
  }
  return Buffer.concat(chunks).toString('utf8');
}
