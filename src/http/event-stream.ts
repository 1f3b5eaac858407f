/** Server-sent events as an answer: written as they come, ended when nobody reads. */
import { ByteLengthQueuingStrategy, ReadableStream, type ReadableStreamDefaultController } from 'node:stream/web';

export interface EventStreamOptions {
  readonly headers?: Readonly<Record<string, string>>;
  /** The reader went away, or reads so slowly that too much waits for it. Not called after `end`. */
  onLeft?(): void;
  /** Silence after which a comment is sent, in milliseconds; default 30,000. */
  readonly keepAliveMs?: number;
}

export interface StreamEvent {
  readonly event?: string;
  readonly id?: string;
  readonly data: unknown;
}

/** Bytes that may wait for a slow reader. */
const maxWaiting = 8_000_000;
const defaultKeepAliveMs = 30_000;

/**
 * What is sent within one turn of the event loop is written at once. Nothing throws: what is sent after the end, or after
 * the reader left, is dropped.
 *
 * @example
 * const stream = new EventStream({ onLeft: () => turn.stop() });
 * stream.send({ data: { delta: 'hello' } });
 * stream.end();
 * return stream.response;
 */
export class EventStream {
  readonly response: Response;
  readonly #options: EventStreamOptions;
  #controller: ReadableStreamDefaultController<Uint8Array> | undefined;
  #buffer = '';
  #flushing: NodeJS.Immediate | undefined;
  #keepAlive: NodeJS.Timeout | undefined;

  constructor(options: EventStreamOptions = {}) {
    this.#options = options;
    const body = new ReadableStream<Uint8Array>(
      {
        start: (controller) => void (this.#controller = controller),
        cancel: () => this.#leave(),
      },
      new ByteLengthQueuingStrategy({ highWaterMark: maxWaiting }),
    );
    this.response = new Response(body, {
      headers: {
        'content-type': 'text/event-stream',
        'cache-control': 'no-cache',
        'x-accel-buffering': 'no',
        ...options.headers,
      },
    });
    this.#wait();
  }

  get isOpen(): boolean {
    return this.#controller !== undefined;
  }

  send({ event, id, data }: StreamEvent): void {
    const head = `${event === undefined ? '' : `event: ${event}\n`}${id === undefined ? '' : `id: ${id}\n`}`;
    this.#write(`${head}data: ${typeof data === 'string' ? data : JSON.stringify(data)}\n\n`);
  }

  comment(text: string): void {
    this.#write(`: ${text}\n\n`);
  }

  end(): void {
    this.#flush();
    const controller = this.#forget();
    controller?.close();
  }

  #write(text: string): void {
    if (this.#controller === undefined) return;
    this.#buffer += text;
    this.#flushing ??= setImmediate(() => this.#flush());
  }

  #flush(): void {
    clearImmediate(this.#flushing);
    this.#flushing = undefined;
    const controller = this.#controller;
    if (this.#buffer === '' || controller === undefined) return;
    controller.enqueue(encoder.encode(this.#buffer));
    this.#buffer = '';
    if ((controller.desiredSize ?? 0) < 0) {
      this.#leave();
      controller.error(new Error('the reader of the stream is too slow'));
    } else this.#keepAlive?.refresh();
  }

  #wait(): void {
    const everyMs = this.#options.keepAliveMs ?? defaultKeepAliveMs;
    this.#keepAlive = setTimeout(() => {
      this.comment('keepalive');
      this.#keepAlive?.refresh();
    }, everyMs).unref();
  }

  #leave(): void {
    if (this.#forget() !== undefined) this.#options.onLeft?.();
  }

  #forget(): ReadableStreamDefaultController<Uint8Array> | undefined {
    const controller = this.#controller;
    this.#controller = undefined;
    this.#buffer = '';
    clearImmediate(this.#flushing);
    clearTimeout(this.#keepAlive);
    return controller;
  }
}

const encoder = new TextEncoder();
