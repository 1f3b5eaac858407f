/** JSON-RPC over the input and output of a process: one message a line. */
import type { Writable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/client';
import type { TalkingProgram } from '../environments/local/talking-program.ts';
import { LineSplitter } from './line-splitter.ts';

export interface StdioOptions {
  /** Starts the process, in a group of its own that ends with us. */
  start(): Promise<TalkingProgram>;
  /** Throws for what is no message. */
  parse(line: string): JSONRPCMessage;
  /** Told of lines that are no messages, for the log. Must not throw. */
  onJunk(line: string): void;
}

/** Between the end of its input and a signal: most servers leave by themselves. */
const politeMs = 500;
/** Messages that wait until the server reads. What we ask is far less: it is what we answer. */
const maxUnread = 1000;

export class StdioTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: JSONRPCMessage) => void;
  readonly #options: StdioOptions;
  #program: TalkingProgram | undefined;
  #closing: Promise<void> | undefined;
  #isClosed = false;
  #unread = 0;
  /** All that wait share it. */
  #drained: Promise<void> | undefined;

  constructor(options: StdioOptions) {
    this.#options = options;
  }

  async start(): Promise<void> {
    const program = await this.#options.start();
    this.#program = program;
    if (this.#closing !== undefined) return await program.end();
    const lines = new LineSplitter((line) => this.#take(line));
    program.output.on('data', (piece: Buffer) => {
      if (lines.push(piece)) return;
      this.onerror?.(new Error('the server wrote a message that is too long'));
      void this.close();
    });
    void program.exited.then(() => this.close());
  }

  async send(message: JSONRPCMessage): Promise<void> {
    const program = this.#program;
    if (program === undefined || this.#isClosed) throw new Error('the server process has ended');
    if (program.input.write(`${JSON.stringify(message)}\n`)) return;
    if (this.#unread >= maxUnread) {
      this.onerror?.(new Error('the server reads none of our answers'));
      void this.close();
      throw new Error('the server reads none of our answers');
    }
    this.#unread += 1;
    this.#drained ??= drained(program.input).finally(() => {
      this.#drained = undefined;
    });
    await this.#drained;
    this.#unread -= 1;
  }

  /** Ends the process with everything it has started. */
  async close(): Promise<void> {
    this.#closing ??= this.#close();
    await this.#closing;
  }

  /** The end of what it wrote to its error output. */
  complaints(): string {
    return this.#program?.complaints() ?? '';
  }

  async #close(): Promise<void> {
    this.#isClosed = true;
    const program = this.#program;
    if (program !== undefined) {
      program.input.end();
      const over = new AbortController();
      await Promise.race([program.exited, delay(politeMs, undefined, { signal: over.signal }).catch(() => undefined)]);
      over.abort();
      // Also after its end: what it left running belongs to nobody.
      await program.end();
      program.output.destroy();
    }
    this.onclose?.();
  }

  #take(line: string): void {
    if (line.trim() === '' || this.#isClosed) return;
    let message: JSONRPCMessage;
    try {
      message = this.#options.parse(line);
    } catch {
      this.#options.onJunk(line);
      return;
    }
    this.onmessage?.(message);
  }
}

async function drained(input: Writable): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const done = (): void => resolve();
  input.once('drain', done).once('close', done);
  await promise;
  input.off('drain', done).off('close', done);
}
