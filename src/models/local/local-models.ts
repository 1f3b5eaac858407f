/** The local models of this process: every file is loaded once, however many conversations use it. */
import { availableParallelism, cpus, totalmem } from 'node:os';
import { join } from 'node:path';
import type { VirtualModel } from '../virtual-model.ts';
import { type Binding, findBinding, importBinding, type Llama } from './binding.ts';
import { LocalEngine } from './local-engine.ts';
import { LocalProtocol } from './local-protocol.ts';
import { findModelFile } from './model-file.ts';
import { usableThreads, watchOtherWork } from './usable-threads.ts';

export interface LocalModelsOptions {
  /** The Hermes home: names lead into its `models/`. */
  readonly home: string;
  readonly userDirectory: string;
  /** Where the binding comes from; default: the installed package. */
  readonly binding?: () => Promise<Binding>;
  /** Bytes that a model may take; default: what the system says is free. */
  readonly availableMemory?: () => number;
  /** Milliseconds until an unused model is unloaded; default 10 minutes. */
  readonly idleMs?: number;
}

const defaultIdleMs = 600_000;

interface OpenedLlama {
  readonly binding: Binding;
  readonly llama: Llama;
}

export class LocalModels {
  readonly #options: LocalModelsOptions;
  readonly #engines = new Map<string, LocalEngine>();
  #opened: Promise<OpenedLlama> | undefined;

  constructor(options: LocalModelsOptions) {
    this.#options = options;
  }

  /**
   * The model of a file or name, which is loaded with its first request. `contextLength` in tokens is what must fit;
   * absent = what the model was made for, as far as the memory goes. Throws `UserError` when the file or the binding is
   * missing.
   */
  async open(model: string, contextLength: number | undefined): Promise<VirtualModel> {
    const { home, userDirectory, binding, availableMemory = freeMemory, idleMs = defaultIdleMs } = this.#options;
    if (binding === undefined) findBinding(home);
    const { path, contextLength: trained } = await findModelFile(model, {
      models: join(home, 'models'),
      userDirectory,
    });
    const key = `${contextLength ?? ''}:${path}`;
    const openLlama = () => this.#openLlama();
    const engine =
      this.#engines.get(key) ?? new LocalEngine({ path, contextLength, openLlama, availableMemory, idleMs });
    this.#engines.set(key, engine);
    return new LocalProtocol(engine, contextLength ?? trained);
  }

  /** Stops what is under way and frees all memory. */
  async close(): Promise<void> {
    await Promise.allSettled([...this.#engines.values()].map((engine) => engine.close()));
    this.#engines.clear();
    // Who waited for a binding that did not start was told why.
    const running = await this.#opened?.catch(() => undefined);
    this.#opened = undefined;
    await running?.llama.dispose();
  }

  async #openLlama(): Promise<OpenedLlama> {
    this.#opened ??= startLlama(this.#options);
    try {
      return await this.#opened;
    } catch (error) {
      this.#opened = undefined;
      throw error;
    }
  }
}

/** Only Linux tells what could be freed; elsewhere the whole memory is the bound. */
function freeMemory(): number {
  return process.platform === 'linux' ? process.availableMemory() : totalmem();
}

async function startLlama({ home, binding: load }: LocalModelsOptions): Promise<OpenedLlama> {
  // Reading the binding takes some hundred milliseconds, in which the others can be watched.
  const otherWork = watchOtherWork();
  const binding = await (load ?? (() => importBinding(findBinding(home))))();
  const silent = (): void => undefined;
  const llama = await binding.getLlama({
    build: 'never',
    skipDownload: true,
    progressLogs: false,
    logger: silent,
    maxThreads: usableThreads({ usable: availableParallelism(), all: cpus().length, busy: otherWork() }),
  });
  return { binding, llama };
}
