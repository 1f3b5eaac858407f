/** One answer of a local model: what is asked of the binding, and what comes back as events and a message. */
import type { JsonObject } from '../../lib/json.ts';
import type { ModelEvent, ModelRequest, ReasoningEffort, StopReason, Usage } from '../../llm/protocol.ts';
import { Answer } from '../../llm/protocols/answer.ts';
import type { RequestContext } from '../../llm/protocols/model-failure.ts';
import type { GeneratedAnswer, GenerateOptions, Sequence } from './binding.ts';
import { toChatHistory } from './chat-history.ts';
import { toGrammarSchema, withoutUnset } from './function-schema.ts';
import type { LoadedChat } from './local-engine.ts';
import { WindowFullError } from './refusals.ts';
import { repeatsItself, tailChars } from './repetition.ts';

/** A model that has lost the thread talks until its window is full: minutes, which a quarter of it bounds. */
const maxAnswerTokens = 32_768;
const maxShareOfWindow = 0.25;
const maxCalls = 16;
/** Tools whose description is longer than this, by token of the window, cannot fit. */
const maxCharsPerToken = 5;
/** The usual sampling of llama.cpp. */
const sampling = { topK: 40, topP: 0.95, minP: 0.05 } as const;
const usualTemperature = 0.7;
/**
 * The smallest models lose the thread when they are drawn as freely: SmolLM2-135M goes on for thousands of tokens after
 * "Hello." Its makers advise this. https://huggingface.co/HuggingFaceTB/SmolLM2-135M-Instruct
 */
const smallTemperature = 0.2;
/** Bytes: some two billion parameters at four bits each. */
const smallFile = 1_200_000_000;
/** Characters between two looks at whether it says the same again and again. */
const lookEvery = 80;
/** Tokens; other efforts think as long as the model likes. */
const thoughtTokens: Readonly<Partial<Record<ReasoningEffort, number>>> = { none: 0, minimal: 512, low: 2048 };

export class LocalAnswer {
  readonly #request: ModelRequest;
  readonly #answer: Answer;
  #reasoningTokens = 0;
  /** The end of what was written, and how much of it has not been looked at. */
  #tail = '';
  #unseen = 0;
  #news = Promise.withResolvers<void>();

  constructor(request: ModelRequest, context: RequestContext) {
    this.#request = request;
    this.#answer = new Answer(context);
  }

  /** Resolves when there are events to take, or `wake` was called. */
  async news(): Promise<void> {
    await this.#news.promise;
    this.#news = Promise.withResolvers();
  }

  wake(): void {
    this.#news.resolve();
  }

  takeEvents(): readonly ModelEvent[] {
    return this.#answer.takeEvents();
  }

  /** The same with what was held back, when nothing more will come. */
  rest(): readonly ModelEvent[] {
    return this.#answer.rest();
  }

  /**
   * The last events of the answer; the others can be taken meanwhile. Throws `WindowFullError` when the conversation
   * does not fit, and what the binding throws.
   */
  async generate(loaded: LoadedChat, signal: AbortSignal): Promise<readonly ModelEvent[]> {
    const { sequence } = loaded;
    const before = meterOf(sequence);
    const generated = await this.#ask(loaded, signal);
    this.#fillCalls(generated);
    this.#answer.usage = usageOf(before, sequence, this.#reasoningTokens);
    const reason = stopReasonOf(generated, generated?.functionCalls?.length ?? 0);
    return this.#answer.done(
      { reason, word: reason },
      {},
      this.#answer.calls.filter((call) => call.arguments !== ''),
    );
  }

  /** Undefined when the window became full in the middle of the answer. */
  async #ask(loaded: LoadedChat, signal: AbortSignal): Promise<GeneratedAnswer | undefined> {
    const { chat, contextSize } = loaded;
    const full = new WindowFullError(contextSize);
    if (JSON.stringify(this.#request.tools).length / maxCharsPerToken > contextSize) throw full;
    const stop = new AbortController();
    const enough = new AbortController();
    let begun = false;
    try {
      return await chat.generateResponse(toChatHistory(this.#request.messages), {
        ...this.#options(loaded, AbortSignal.any([signal, stop.signal, enough.signal])),
        // Shortening is our work, not the binding's. It would go on by itself if this threw.
        contextShift: {
          strategy: () => {
            stop.abort(full);
            return { chatHistory: [{ type: 'model', response: [] }] };
          },
        },
        onResponseChunk: ({ segmentType, text, tokens }) => {
          begun = true;
          this.#addChunk(segmentType, text, tokens.length);
          if (loaded.fileSize < smallFile && this.#goesRound(text)) enough.abort();
        },
      });
    } catch (error) {
      if (!signal.aborted && enough.signal.aborted) return { metadata: { stopReason: 'eogToken' } };
      if (signal.aborted || !stop.signal.aborted) throw error;
      if (begun || this.#answer.calls.length > 0) return undefined;
      throw full;
    }
  }

  #options(
    { contextSize, fileSize }: LoadedChat,
    signal: AbortSignal,
  ): Omit<GenerateOptions, 'contextShift' | 'onResponseChunk'> {
    const { maxTokens, temperature, reasoningEffort, tools } = this.#request;
    const budget = reasoningEffort === undefined ? undefined : thoughtTokens[reasoningEffort];
    return {
      ...sampling,
      signal,
      maxTokens: maxTokens ?? Math.min(maxAnswerTokens, Math.floor(contextSize * maxShareOfWindow)),
      temperature: temperature ?? (fileSize < smallFile ? smallTemperature : usualTemperature),
      seed: Math.floor(Math.random() * 2 ** 31),
      ...(budget === undefined ? {} : { budgets: { thoughtTokens: budget } }),
      ...(tools.length === 0
        ? {}
        : {
            functions: Object.fromEntries(
              tools.map(({ name, description, parameters }) => [
                name,
                { description, params: toGrammarSchema(parameters) },
              ]),
            ),
            maxParallelFunctionCalls: maxCalls,
            onFunctionCallParamsChunk: ({ callIndex, functionName }) => this.#startCall(callIndex, functionName),
          }),
    };
  }

  #addChunk(segmentType: string | undefined, text: string, tokens: number): void {
    if (segmentType === undefined) this.#answer.addText(text);
    else {
      this.#reasoningTokens += tokens;
      this.#answer.addReasoning(text);
    }
    this.wake();
  }

  #goesRound(text: string): boolean {
    this.#tail = (this.#tail + text).slice(-tailChars);
    this.#unseen += text.length;
    if (this.#unseen < lookEvery) return false;
    this.#unseen = 0;
    return repeatsItself(this.#tail);
  }

  #startCall(index: number, name: string): void {
    if (index < this.#answer.calls.length) return;
    this.#answer.startCall('', name);
    this.wake();
  }

  #fillCalls(generated: GeneratedAnswer | undefined): void {
    for (const [index, { functionName, params }] of (generated?.functionCalls ?? []).entries()) {
      this.#startCall(index, functionName);
      const schema = this.#request.tools.find(({ name }) => name === functionName)?.parameters;
      const given: JsonObject = {};
      const call = this.#answer.calls[index];
      if (call !== undefined) call.arguments = JSON.stringify(withoutUnset(params ?? given, schema));
    }
  }
}

function stopReasonOf(generated: GeneratedAnswer | undefined, calls: number): StopReason {
  if (calls > 0) return 'tool_calls';
  return generated === undefined || generated.metadata.stopReason === 'maxTokens' ? 'length' : 'stop';
}

function meterOf({ tokenMeter }: Sequence): { readonly input: number; readonly output: number } {
  return { input: tokenMeter.usedInputTokens, output: tokenMeter.usedOutputTokens };
}

/** What stands in the window and was not read for this request was kept from the one before. */
function usageOf(before: ReturnType<typeof meterOf>, sequence: Sequence, reasoning: number): Usage {
  const after = meterOf(sequence);
  const input = after.input - before.input;
  const output = after.output - before.output;
  const cacheRead = Math.max(0, sequence.nextTokenIndex - input - output);
  return { input, output, cacheRead, cacheWrite: 0, reasoning: Math.min(reasoning, output) };
}
