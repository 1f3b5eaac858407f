/** Stands in for the llama.cpp binding, which is not installed by default: says what a test tells it to. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Binding, ChatItem, GeneratedAnswer, GenerateOptions } from '../../../src/models/local/binding.ts';

export type Script = (options: GenerateOptions, history: readonly ChatItem[]) => Promise<GeneratedAnswer>;

export class OutOfMemory extends Error {}

export interface StandIn {
  readonly binding: () => Promise<Binding>;
  /** What happened, in order. */
  readonly log: string[];
  readonly histories: (readonly ChatItem[])[];
  readonly options: GenerateOptions[];
}

/** Answers with one script after the other, the last one again and again. */
export function standIn(scripts: readonly Script[], { loadFails }: { readonly loadFails?: () => Error } = {}): StandIn {
  const log: string[] = [];
  const histories: (readonly ChatItem[])[] = [];
  const options: GenerateOptions[] = [];
  const meter = { usedInputTokens: 0, usedOutputTokens: 0 };
  class LlamaChat {
    async generateResponse(history: readonly ChatItem[], asked: GenerateOptions): Promise<GeneratedAnswer> {
      const script = scripts[Math.min(histories.length, scripts.length - 1)];
      histories.push(history);
      options.push(asked);
      log.push('ask');
      meter.usedInputTokens += 10;
      try {
        return await (script ?? says('nothing'))(asked, history);
      } finally {
        meter.usedOutputTokens += 3;
        log.push('free');
      }
    }
  }
  const binding: Binding = {
    InsufficientMemoryError: OutOfMemory,
    LlamaChat,
    getLlama: async () => ({
      async loadModel({ modelPath }) {
        log.push(`load ${modelPath.split('/').at(-1)}`);
        if (loadFails !== undefined) throw loadFails();
        return {
          trainContextSize: 32_768,
          gpuLayers: 0,
          fileInsights: {
            estimateContextResourceRequirementsV2: async ({ contextSize }) => ({ cpuRam: contextSize * 1000 }),
          },
          async createContext({ contextSize }) {
            log.push(`context ${contextSize.min ?? 'any'} to ${contextSize.max}`);
            return {
              contextSize: contextSize.max,
              getSequence: () => ({ nextTokenIndex: 40, tokenMeter: meter }),
            };
          },
          dispose: async () => void log.push('unload'),
        };
      },
      dispose: async () => void log.push('dispose'),
    }),
  };
  return { binding: async () => binding, log, histories, options };
}

/** Pieces of an answer, a turn of the event loop apart. */
export function says(...pieces: readonly string[]): Script {
  return async ({ onResponseChunk, signal }) => {
    for (const text of pieces) {
      await nextTurn();
      signal.throwIfAborted();
      onResponseChunk({ text, tokens: [1] });
    }
    return { metadata: { stopReason: 'eogToken' } };
  };
}

/** Goes on until it is stopped, and needs `afterwards` for it. */
export function talksOn(afterwards: Promise<void> = Promise.resolve()): Script {
  return async ({ onResponseChunk, signal }) => {
    while (!signal.aborted) {
      onResponseChunk({ text: 'more ', tokens: [1] });
      await nextTurn();
    }
    await afterwards;
    throw signal.reason;
  };
}
