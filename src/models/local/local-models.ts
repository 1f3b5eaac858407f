/** The local models of this process: every file is loaded once, however many conversations use it. */
import { totalmem } from 'node:os';
import { join } from 'node:path';
import type { VirtualModel } from '../virtual-model.ts';
import { type Binding, findBinding, importBinding, type Llama } from './binding.ts';
import { LocalEngine } from './local-engine.ts';
import { createLocalProtocol } from './local-protocol.ts';
import { findModelFile } from './model-file.ts';

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

export interface LocalModels {
  /**
   * The model of a file or name, which is loaded with its first request. `contextLength` in tokens is what must fit;
   * absent = what the model was made for, as far as the memory goes. Throws `UserError` when the file or the binding is
   * missing.
   */
  open(model: string, contextLength: number | undefined): Promise<VirtualModel>;
  /** Stops what is under way and frees all memory. */
  close(): Promise<void>;
}

const defaultIdleMs = 600_000;

export function createLocalModels(options: LocalModelsOptions): LocalModels {
  const engines = new Map<string, LocalEngine>();
  let opened: Promise<{ readonly binding: Binding; readonly llama: Llama }> | undefined;

  async function openLlama(): Promise<{ readonly binding: Binding; readonly llama: Llama }> {
    opened ??= startLlama(options);
    try {
      return await opened;
    } catch (error) {
      opened = undefined;
      throw error;
    }
  }

  return {
    async open(model, contextLength) {
      if (options.binding === undefined) findBinding(options.home);
      const { home, userDirectory, availableMemory = freeMemory, idleMs = defaultIdleMs } = options;
      const file = await findModelFile(model, { models: join(home, 'models'), userDirectory });
      const key = `${contextLength ?? ''}:${file.path}`;
      const engine =
        engines.get(key) ?? new LocalEngine({ path: file.path, contextLength, openLlama, availableMemory, idleMs });
      engines.set(key, engine);
      const window = contextLength ?? file.contextLength;
      return {
        ...createLocalProtocol(engine),
        vision: false,
        ...(window === undefined ? {} : { contextLength: window }),
      };
    },
    async close() {
      await Promise.allSettled([...engines.values()].map((engine) => engine.close()));
      engines.clear();
      const running = await opened?.catch(() => undefined);
      opened = undefined;
      await running?.llama.dispose();
    },
  };
}

/** Only Linux tells what could be freed; elsewhere the whole memory is the bound. */
function freeMemory(): number {
  return process.platform === 'linux' ? process.availableMemory() : totalmem();
}

async function startLlama({ home, binding: load }: LocalModelsOptions) {
  const binding = await (load ?? (() => importBinding(findBinding(home))))();
  const silent = (): void => undefined;
  const llama = await binding.getLlama({ build: 'never', skipDownload: true, progressLogs: false, logger: silent });
  return { binding, llama };
}
