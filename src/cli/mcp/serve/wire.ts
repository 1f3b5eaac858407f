/** JSON-RPC over the streams of this process: one message a line, and nothing else. */
import type { Readable, Writable } from 'node:stream';
import {
  deserializeMessage,
  isJSONRPCRequest,
  isJSONRPCResponse,
  type JSONRPCMessage,
  type RequestId,
  type Transport,
} from '@modelcontextprotocol/server';
import { errorMessage } from '../../../lib/errors.ts';
import { timerMs } from '../../../lib/timer-limit.ts';
import { LineSplitter } from '../../../mcp/line-splitter.ts';

/** What a client sends are short questions, and messages to chats. */
const maxLineBytes = 10 * 1024 * 1024;
/** More are not read from the pipe until some of them are answered. */
const maxOpen = 200;
/** A client that has closed its end may still read the answers to what it asked. */
const graceMs = 2000;

export class Wire implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: JSONRPCMessage) => void;
  /** Resolves when the client is gone, or the connection was closed. */
  readonly ended: Promise<void>;
  readonly #input: Readable;
  readonly #output: Writable;
  readonly #open = new Set<RequestId>();
  readonly #end: () => void;
  #isClosed = false;
  #inputEnded = false;

  constructor(input: Readable, output: Writable) {
    this.#input = input;
    this.#output = output;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.ended = promise;
    this.#end = resolve;
  }

  async start(): Promise<void> {
    const lines = new LineSplitter((line) => this.#take(line), maxLineBytes);
    this.#input.on('data', (piece: Buffer) => {
      if (this.#isClosed || lines.push(piece)) return;
      this.onerror?.(new Error(`a message has more than ${maxLineBytes} bytes`));
      void this.close();
    });
    this.#input.once('end', () => this.#leave()).once('close', () => this.#leave());
    this.#input.on('error', (error: Error) => this.onerror?.(error));
    this.#output.on('error', () => void this.close());
    await Promise.resolve();
  }

  async send(message: JSONRPCMessage): Promise<void> {
    if (this.#isClosed) throw new Error('the client is gone');
    const isTaken = this.#output.write(`${JSON.stringify(message)}\n`);
    if (isJSONRPCResponse(message) && message.id !== undefined) this.#answered(message.id);
    if (isTaken) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#output.once('drain', resolve).once('close', resolve);
    await Promise.race([promise, this.ended]);
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#input.pause();
    this.#end();
    this.onclose?.();
    await Promise.resolve();
  }

  #take(line: string): void {
    if (line.trim() === '' || this.#isClosed) return;
    let message: JSONRPCMessage;
    try {
      message = deserializeMessage(line);
    } catch (error) {
      this.onerror?.(new Error(`a line is no message: ${errorMessage(error)}`));
      return;
    }
    if (isJSONRPCRequest(message)) {
      this.#open.add(message.id);
      if (this.#open.size >= maxOpen) this.#input.pause();
    }
    this.onmessage?.(message);
  }

  #answered(id: RequestId): void {
    this.#open.delete(id);
    if (this.#inputEnded && this.#open.size === 0) void this.close();
    else if (this.#input.isPaused() && this.#open.size < maxOpen) this.#input.resume();
  }

  #leave(): void {
    if (this.#inputEnded) return;
    this.#inputEnded = true;
    if (this.#open.size === 0) void this.close();
    else setTimeout(() => void this.close(), timerMs(graceMs));
  }
}
