/** Asks the Bot API: one method, its arguments, its checked result. https://core.telegram.org/bots/api */
import { openAsBlob } from 'node:fs';
import { Readable } from 'node:stream';
import type { ReadableStream } from 'node:stream/web';
import type { ApiMethods } from '@grammyjs/types';
import type * as z from 'zod';
import { Connections, type Network } from '../../../lib/connections.ts';
import { startDeadline } from '../../../lib/deadline.ts';
import { errorCode, errorMessage } from '../../../lib/errors.ts';
import { parseJson } from '../../../lib/json.ts';
import { NotAnswered, textOf } from '../../platform/http-answers.ts';
import { ApiError, isThreadGone } from './errors.ts';
import type { Fallback } from './fallback.ts';
import { answer as answerSchema } from './wire.ts';

/** An upload is named by `attachment` where its argument stands. */
type Methods = ApiMethods<never>;
type Method = keyof Methods;
type Given<M extends Method> = Exclude<Parameters<Methods[M]>[0], undefined>;
type Arguments<M extends Method> = [Given<M>] extends [never] ? Readonly<Record<string, never>> : Given<M>;

export interface ApiOptions {
  readonly token: string;
  /** `https://api.telegram.org`, or the same of a server of one's own. */
  readonly root: string;
  /** Where files are fetched: `<root>/file`. */
  readonly fileRoot: string;
  readonly network: Network;
  /** Undefined where the way to Telegram is given. */
  readonly fallback?: Fallback;
  /** From the beginning of a request to the whole answer. */
  readonly deadlineMs: number;
  /** Telegram says that a group goes by another id. Returns at once. */
  onMoved?(from: string, to: string): void;
  /** Telegram says that a topic is not there any more. Returns at once. */
  onThreadGone?(chatId: string, threadId: string): void;
}

export interface CallOptions {
  readonly signal: AbortSignal;
  /** Longer than usual. */
  readonly deadlineMs?: number;
  /** Named in the arguments by `attachment`; several, by `attachmentOf` and their places. */
  readonly upload?: Upload | readonly Upload[];
}

export interface Upload {
  readonly path: string;
  readonly name: string;
  readonly size: number;
}

/** Stands for the file in the arguments. */
export const attachment = 'attach://file';

/** The same for one of several. */
export function attachmentOf(index: number): string {
  return `attach://${fieldOf(index)}`;
}

function fieldOf(index: number): string {
  return `file${index}`;
}

/** A hundred updates with everything in them are far below this. */
const maxAnswerBytes = 32 * 1024 * 1024;
/** What a slow line sends in a second. */
const uploadBytesPerSecond = 50_000;

export class TelegramApi {
  readonly #options: ApiOptions;
  readonly #connections: Connections;

  constructor(options: ApiOptions) {
    this.#options = options;
    this.#connections = new Connections(options.network);
  }

  /** Throws `ApiError` for what Telegram refuses and `NotAnswered` for everything else, within the deadline. */
  async call<M extends Method, T>(
    method: M,
    args: Arguments<M>,
    result: z.ZodType<T>,
    options: CallOptions,
  ): Promise<T> {
    const uploads = fieldsOf(options.upload);
    const size = uploads.reduce((sum, { upload }) => sum + upload.size, 0);
    const extra = Math.ceil(size / uploadBytesPerSecond) * 1000;
    using deadline = startDeadline((options.deadlineMs ?? this.#options.deadlineMs) + extra, options.signal);
    const { signal } = deadline;
    const url = `${this.#options.root}/bot${this.#options.token}/${method}`;
    const state = { written: false };
    try {
      signal.throwIfAborted();
      const sent = uploads.length === 0 ? jsonOf(args) : await formOf(args, uploads);
      // Asking twice does no harm; saying twice does.
      const incoming = await this.#connections.send(
        { url, ...sent, once: /^(?:send|create)/.test(method) },
        signal,
        (request) => request.once('finish', () => (state.written = true)),
      );
      this.#options.fallback?.answered(incoming.socket.remoteAddress);
      const text = await textOf(incoming, maxAnswerBytes);
      return resultOf(text, incoming.statusCode ?? 0, result);
    } catch (error) {
      if (error instanceof ApiError) {
        if (error.movedTo !== undefined && 'chat_id' in args)
          this.#options.onMoved?.(String(args.chat_id), error.movedTo);
        if ('chat_id' in args && 'message_thread_id' in args && isThreadGone(error))
          this.#options.onThreadGone?.(String(args.chat_id), String(args.message_thread_id));
        throw error;
      }
      const why = options.signal.aborted
        ? 'it was given up'
        : deadline.passed
          ? 'there was no answer in time'
          : this.#mask(error);
      throw new NotAnswered(why, { mayHaveArrived: state.written, cause: error });
    }
  }

  /** True when there are other addresses to try than before. */
  async findOtherWays(signal: AbortSignal): Promise<boolean> {
    return (await this.#options.fallback?.ask(signal)) === true;
  }

  /** The bytes of a file, by the path that `getFile` tells. */
  async download(path: string, signal: AbortSignal): Promise<AsyncIterable<Uint8Array>> {
    const url = `${this.#options.fileRoot}/bot${this.#options.token}/${path.split('/').map(encodeURIComponent).join('/')}`;
    try {
      const incoming = await this.#connections.send({ url, method: 'GET', headers: {} }, signal);
      if (incoming.statusCode === 200) return incoming;
      incoming.destroy();
      throw new Error(`the file server of Telegram answered with status ${incoming.statusCode}`);
    } catch (error) {
      signal.throwIfAborted();
      throw new Error(`The file could not be fetched: ${this.#mask(error)}.`, { cause: error });
    }
  }

  /** One line; the token is a part of every address, and addresses stand in errors. */
  #mask(error: unknown): string {
    const reason = errorCode(error) ?? errorMessage(error).split('\n', 1)[0] ?? '';
    return reason.replaceAll(this.#options.token, '***');
  }
}

function jsonOf(args: unknown): { readonly headers: Record<string, string>; readonly body: string } {
  const body = JSON.stringify(args);
  return {
    headers: { 'content-type': 'application/json', 'content-length': String(Buffer.byteLength(body)) },
    body,
  };
}

interface Field {
  readonly field: string;
  readonly upload: Upload;
}

function fieldsOf(given: CallOptions['upload']): readonly Field[] {
  if (given === undefined) return [];
  if ('path' in given) return [{ field: 'file', upload: given }];
  return given.map((upload, index) => ({ field: fieldOf(index), upload }));
}

/** The files are read from the disk while they are sent. */
async function formOf(
  args: object,
  uploads: readonly Field[],
): Promise<{ readonly headers: Record<string, string>; readonly body: () => Readable }> {
  const form = new FormData();
  for (const [key, value] of Object.entries(args)) {
    if (value !== undefined) form.set(key, typeof value === 'string' ? value : JSON.stringify(value));
  }
  for (const { field, upload } of uploads) form.set(field, await openAsBlob(upload.path), upload.name);
  const { headers, body } = new Response(form);
  const type = headers.get('content-type') ?? '';
  return { headers: { 'content-type': type }, body: () => readableOf(body) };
}

function readableOf(body: ReadableStream | null): Readable {
  return body === null ? Readable.from([]) : Readable.fromWeb(body);
}

function resultOf<T>(text: string, status: number, schema: z.ZodType<T>): T {
  const { data: answer } = answerSchema.safeParse(parseJson(text));
  // A proxy in between, or no Bot API at all.
  if (answer === undefined)
    throw new ApiError(status, `status ${status} and no answer of Telegram's`, { inBetween: true });
  if (!answer.ok) {
    const { retry_after: seconds, migrate_to_chat_id: movedTo } = answer.parameters;
    throw new ApiError(answer.error_code ?? status, answer.description, {
      ...(seconds === undefined ? {} : { retryAfterMs: seconds * 1000 }),
      ...(movedTo === undefined ? {} : { movedTo: String(movedTo) }),
    });
  }
  const result = schema.safeParse(answer.result);
  if (!result.success) throw new ApiError(200, 'the answer is not what was expected');
  return result.data;
}
