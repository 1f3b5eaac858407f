/** One model file in memory: loaded when it is first needed, asked one request at a time, unloaded when idle. */
import { stat } from 'node:fs/promises';
import { ModelError } from '../../llm/model-error.ts';
import type { Binding, Chat, Llama, LoadedModel, Sequence } from './binding.ts';
import { OutOfMemoryError } from './refusals.ts';

export interface LoadedChat {
  readonly chat: Chat;
  readonly sequence: Sequence;
  /** Tokens; less than was asked for when the memory holds no more. */
  readonly contextSize: number;
  /** Bytes of the model's file. */
  readonly fileSize: number;
}

export interface EngineOptions {
  readonly path: string;
  /** Tokens that must fit; default: as many as the model was made for and the memory holds. */
  readonly contextLength: number | undefined;
  readonly openLlama: () => Promise<{ readonly binding: Binding; readonly llama: Llama }>;
  /** Bytes that may be taken. */
  readonly availableMemory: () => number;
  /** Milliseconds without a request until the memory is given back. */
  readonly idleMs: number;
}

/** More requests than this waiting for one model means that something asks without end. */
const maxWaiting = 64;

export class LocalEngine {
  readonly #options: EngineOptions;
  #last: Promise<unknown> = Promise.resolve();
  #waiting = 0;
  #loaded: { readonly model: LoadedModel; readonly ready: LoadedChat } | undefined;
  #idle: NodeJS.Timeout | undefined;
  readonly #closing = new AbortController();

  constructor(options: EngineOptions) {
    this.#options = options;
  }

  /**
   * Does `work` with the model when all that came before is done. Rejects with the reason of `signal` as soon as that
   * is aborted; the next in line still waits until the model is really free.
   */
  async use<Result>(
    work: (loaded: LoadedChat, signal: AbortSignal) => Promise<Result>,
    signal: AbortSignal,
  ): Promise<Result> {
    if (this.#waiting >= maxWaiting) throw new ModelError('overloaded', 'too many requests wait for the local model');
    const stop = AbortSignal.any([signal, this.#closing.signal]);
    const done = this.#inLine(async () => {
      stop.throwIfAborted();
      clearTimeout(this.#idle);
      try {
        return await work(await this.#load(stop), stop);
      } finally {
        this.#sleepLater();
      }
    });
    return await untilAborted(done, stop);
  }

  /** Stops what is under way and gives the memory back. */
  async close(): Promise<void> {
    this.#closing.abort(new ModelError('aborted', 'the local model was closed'));
    await this.#inLine(() => this.#unload());
  }

  async #inLine<Result>(work: () => Promise<Result>): Promise<Result> {
    this.#waiting += 1;
    const turn = this.#last.then(work).finally(() => {
      this.#waiting -= 1;
    });
    // Its caller is told of a failure; the next in line has nothing to do with it.
    this.#last = turn.catch(() => undefined);
    return await turn;
  }

  async #load(signal: AbortSignal): Promise<LoadedChat> {
    if (this.#loaded !== undefined) return this.#loaded.ready;
    const { path, contextLength, openLlama } = this.#options;
    const { binding, llama } = await openLlama();
    let model: LoadedModel | undefined;
    try {
      model = await llama.loadModel({ modelPath: path, loadSignal: signal });
      const max = await windowThatFits(model, contextLength, this.#options.availableMemory());
      const context = await model.createContext({
        sequences: 1,
        contextSize: contextLength === undefined ? { max } : { min: max, max },
        createSignal: signal,
      });
      const sequence = context.getSequence();
      const chat = new binding.LlamaChat({ contextSequence: sequence });
      const { size: fileSize } = await stat(path);
      const ready = { chat, sequence, contextSize: context.contextSize, fileSize };
      this.#loaded = { model, ready };
      return ready;
    } catch (error) {
      await model?.dispose();
      throw error instanceof binding.InsufficientMemoryError ? new OutOfMemoryError(contextLength, error) : error;
    }
  }

  async #unload(): Promise<void> {
    clearTimeout(this.#idle);
    const loaded = this.#loaded;
    this.#loaded = undefined;
    await loaded?.model.dispose();
  }

  #sleepLater(): void {
    if (this.#closing.signal.aborted) return;
    clearTimeout(this.#idle);
    const unload = () => this.#inLine(() => this.#unload());
    // What was not given back now is given back when the program ends.
    this.#idle = setTimeout(() => void unload().catch(() => undefined), this.#options.idleMs);
    this.#idle.unref();
  }
}

/** Automatic windows are not made smaller than this, in tokens. */
const minWindow = 4096;

/**
 * The binding takes a window that was asked for at its word, and the system ends a program that takes more memory than
 * there is. Throws `OutOfMemoryError` when a configured window, or the least automatic one, does not fit.
 */
async function windowThatFits(
  model: LoadedModel,
  configured: number | undefined,
  availableMemory: number,
): Promise<number> {
  let size = configured ?? model.trainContextSize;
  const { gpuLayers: modelGpuLayers, fileInsights } = model;
  for (;;) {
    const needed = await fileInsights.estimateContextResourceRequirementsV2?.({
      contextSize: size,
      modelGpuLayers,
      sequences: 1,
    });
    if (needed === undefined || needed.cpuRam <= availableMemory) return size;
    if (configured !== undefined || size <= minWindow) throw new OutOfMemoryError(configured);
    size = Math.max(minWindow, Math.floor(size / 2));
  }
}

async function untilAborted<Result>(work: Promise<Result>, signal: AbortSignal): Promise<Result> {
  const { promise, reject } = Promise.withResolvers<never>();
  const stop = (): void => reject(signal.reason);
  if (signal.aborted) stop();
  signal.addEventListener('abort', stop, { once: true });
  try {
    return await Promise.race([work, promise]);
  } finally {
    signal.removeEventListener('abort', stop);
  }
}
