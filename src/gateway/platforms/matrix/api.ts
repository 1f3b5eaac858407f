/** Asks a homeserver: one method and path, its checked answer. https://spec.matrix.org/latest/client-server-api/ */
import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import * as z from 'zod';
import { Connections, type Network } from '../../../lib/connections.ts';
import { errorCode, errorMessage } from '../../../lib/errors.ts';
import { parseJson } from '../../../lib/json.ts';
import { NotAnswered, textOf } from '../../platform/http-answers.ts';
import { ApiError } from './errors.ts';
import { wellKnown } from './wire.ts';

export interface CallOptions {
  readonly signal: AbortSignal;
  readonly query?: Readonly<Record<string, string | undefined>>;
  /** JSON, or what is written already. */
  readonly body?: object | string;
  /** From the beginning of a request to the whole answer. Default: 30 s. */
  readonly deadlineMs?: number;
}

export interface Upload {
  readonly open: () => Readable;
  readonly size: number;
  readonly name: string;
  readonly mimeType: string;
}

type Method = 'GET' | 'POST' | 'PUT';

/** A first answer for an account with many rooms is long. */
const maxAnswerBytes = 64 * 1024 * 1024;
const usualMs = 30_000;
/** What a slow line sends in a second. */
const bytesPerSecond = 50_000;

const refusal = z.object({
  errcode: z.string(),
  error: z.string().default(''),
  retry_after_ms: z.number().optional(),
  soft_logout: z.boolean().optional(),
});
/** https://spec.matrix.org/latest/client-server-api/#user-interactive-authentication-api */
const challenge = z.object({ session: z.string(), flows: z.array(z.unknown()) });
const uploaded = z.object({ content_uri: z.string().startsWith('mxc://') });

export class MatrixApi {
  /** Changes when the homeserver says that it lives elsewhere. */
  root: string;
  /** Undefined until the login. */
  token: string | undefined;
  readonly #connections: Connections;
  readonly #secrets: readonly string[];

  constructor(options: {
    readonly root: string;
    readonly token: string | undefined;
    readonly network: Network;
    /** Never told to anybody. */
    readonly secrets: readonly string[];
  }) {
    this.root = options.root;
    this.token = options.token;
    this.#connections = new Connections(options.network);
    this.#secrets = options.secrets;
  }

  /** Throws `ApiError` for what the homeserver refuses and `NotAnswered` for everything else, within the deadline. */
  async call<T>(method: Method, path: string, answer: z.ZodType<T>, options: CallOptions): Promise<T> {
    const { body } = options;
    const text = body === undefined || typeof body === 'string' ? body : JSON.stringify(body);
    const sent = method === 'GET' ? undefined : (text ?? '{}');
    const headers =
      sent === undefined
        ? {}
        : { 'content-type': 'application/json', 'content-length': String(Buffer.byteLength(sent)) };
    const whole = await this.#ask(method, `/_matrix${path}`, { ...options, headers, sent });
    const parsed = answer.safeParse(parseJson(whole));
    if (!parsed.success) throw new ApiError(200, undefined, 'the answer is not what was expected');
    return parsed.data;
  }

  /** The `mxc://` address of what was uploaded. The file is read from the disk while it is sent. */
  async upload({ open, size, name, mimeType }: Upload, signal: AbortSignal): Promise<string> {
    const headers = { 'content-type': mimeType, 'content-length': String(size) };
    const deadlineMs = usualMs + Math.ceil(size / bytesPerSecond) * 1000;
    const query = { filename: name };
    const text = await this.#ask('POST', '/_matrix/media/v3/upload', {
      signal,
      query,
      headers,
      deadlineMs,
      sent: open,
    });
    const parsed = uploaded.safeParse(parseJson(text));
    if (!parsed.success) throw new ApiError(200, undefined, 'the answer is not what was expected');
    return parsed.data.content_uri;
  }

  /** The bytes behind an `mxc://` address; older homeservers give them without a login only. */
  async download(mxc: string, signal: AbortSignal): Promise<AsyncIterable<Uint8Array>> {
    const [, server, id] = /^mxc:\/\/([^/?#]+)\/([\w-]+)$/.exec(mxc) ?? [];
    if (server === undefined || id === undefined) throw new Error('The address of the file is none of Matrix.');
    const place = `${encodeURIComponent(server)}/${encodeURIComponent(id)}`;
    for (const path of [`/_matrix/client/v1/media/download/${place}`, `/_matrix/media/v3/download/${place}`]) {
      try {
        const incoming = await this.#connections.send(
          { url: this.root + path, method: 'GET', headers: this.#login() },
          signal,
        );
        if (incoming.statusCode === 200) return incoming;
        incoming.destroy();
        if (incoming.statusCode !== 404) throw new Error(`the homeserver answered with status ${incoming.statusCode}`);
      } catch (error) {
        signal.throwIfAborted();
        throw new Error(`The file could not be fetched: ${this.#mask(error)}.`, { cause: error });
      }
    }
    throw new Error('The homeserver does not have the file.');
  }

  /** Where the server of this name says that its homeserver is. The token stays here. */
  async wellKnown(signal: AbortSignal): Promise<string | undefined> {
    const url = `${this.root}/.well-known/matrix/client`;
    try {
      const incoming = await this.#connections.send({ url, method: 'GET', headers: {} }, signal);
      const found = wellKnown.safeParse(parseJson(await answerOf(incoming)));
      return found.data?.['m.homeserver'].base_url.replace(/\/+$/, '');
    } catch {
      signal.throwIfAborted();
      return undefined;
    }
  }

  async #ask(
    method: Method,
    path: string,
    options: Omit<CallOptions, 'body'> & {
      readonly headers: Readonly<Record<string, string>>;
      readonly sent: string | (() => Readable) | undefined;
    },
  ): Promise<string> {
    const deadline = AbortSignal.timeout(options.deadlineMs ?? usualMs);
    const signal = AbortSignal.any([options.signal, deadline]);
    const url = new URL(this.root + path);
    for (const [name, value] of Object.entries(options.query ?? {}))
      if (value !== undefined) url.searchParams.set(name, value);
    const state = { written: false };
    try {
      signal.throwIfAborted();
      const request = { url: url.href, method, headers: { ...this.#login(), ...options.headers }, body: options.sent };
      const incoming = await this.#connections.send(request, signal, (begun) =>
        begun.once('finish', () => (state.written = true)),
      );
      return await answerOf(incoming);
    } catch (error) {
      if (error instanceof ApiError) throw error;
      const why = deadline.aborted ? 'there was no answer in time' : this.#mask(error);
      // A refused connection writes into nothing.
      const refused = errorCode(error) === 'ECONNREFUSED';
      throw new NotAnswered(why, { mayHaveArrived: state.written && !refused, cause: error });
    }
  }

  #login(): Readonly<Record<string, string>> {
    return this.token === undefined ? {} : { authorization: `Bearer ${this.token}` };
  }

  /** One line without what nobody may see. */
  #mask(error: unknown): string {
    const reason = errorCode(error) ?? errorMessage(error).split('\n', 1)[0] ?? '';
    return [...this.#secrets, this.token ?? '']
      .filter(Boolean)
      .reduce((text, secret) => text.replaceAll(secret, '***'), reason);
  }
}

async function answerOf(incoming: IncomingMessage): Promise<string> {
  const text = await textOf(incoming, maxAnswerBytes);
  const status = incoming.statusCode ?? 0;
  if (status >= 200 && status < 300) return text;
  const answer = parseJson(text);
  const { data: asked } = challenge.safeParse(answer);
  if (status === 401 && asked !== undefined)
    throw new ApiError(status, undefined, 'it wants the password', { session: asked.session });
  const { data } = refusal.safeParse(answer);
  // A proxy in between, or no homeserver at all.
  if (data === undefined) throw new ApiError(status, undefined, `status ${status} and no answer of Matrix`);
  const after = Number(incoming.headers['retry-after']);
  const retryAfterMs = data.retry_after_ms ?? (after > 0 ? after * 1000 : undefined);
  throw new ApiError(status, data.errcode, data.error === '' ? data.errcode : data.error, {
    retryAfterMs,
    softLogout: data.soft_logout,
  });
}

/** A path with ids in it. */
export function path(strings: TemplateStringsArray, ...ids: readonly string[]): string {
  return String.raw({ raw: strings }, ...ids.map(encodeURIComponent));
}
