/** How the agent talks to a model, whatever the wire format. */
import type { JsonObject } from '../lib/json.ts';
import type { Authorizer } from './authorizer.ts';
import type { AssistantMessage, Message } from './message.ts';

/** A function as offered to the model; `parameters` is a JSON Schema object. */
export interface ToolSchema {
  readonly name: string;
  readonly description: string;
  readonly parameters: JsonObject;
}

export type ReasoningEffort = 'none' | 'minimal' | 'low' | 'medium' | 'high' | 'xhigh';

/** The wire formats; `in_process` is a model that lives in this program. */
export type ApiMode =
  | 'chat_completions'
  | 'codex_responses'
  | 'anthropic_messages'
  | 'bedrock_converse'
  | 'gemini_generate'
  | 'ollama_chat'
  | 'in_process';

/** What a model is asked. Nothing of it is changed: the same request can be sent to another model. */
export interface ModelRequest {
  /** The name by which the provider knows the model. */
  readonly model: string;
  /** System message first, then the repaired history. */
  readonly messages: readonly Message[];
  /** Sorted by name; empty means that no tools are offered. */
  readonly tools: readonly ToolSchema[];
  /** Tokens of the answer, reasoning included; absent = what the provider allows. */
  readonly maxTokens?: number;
  readonly temperature?: number;
  /** Where the model cannot be asked for it, it is left out or becomes the nearest step. */
  readonly reasoningEffort?: ReasoningEffort;
  /** Merged into the top level of the request body. */
  readonly extraBody?: JsonObject;
  /** False asks for the whole answer at once; the events are the same, only fewer. */
  readonly stream: boolean;
  /** Stable per conversation, for providers that route their cache by it. */
  readonly sessionId?: string;
  /** Life of the cached prefix where the provider wants it marked; absent = no marks. */
  readonly cacheTtl?: '5m' | '1h';
  /** Asks for the faster, dearer tier where there is one. */
  readonly priority?: boolean;
  /** Another model is asked when this one refuses: one of which that is known need not be asked. */
  readonly othersStandBy?: boolean;
}

/**
 * Tokens of one request. `input` excludes cached tokens: prompt = input + cacheRead + cacheWrite. Providers count
 * differently (OpenAI's `prompt_tokens` includes what was cached, Anthropic's `input_tokens` does not); here all are alike.
 *
 * @example
 * // OpenAI: prompt_tokens 100, cached_tokens 60, completion_tokens 20, of which reasoning_tokens 7
 * const usage: Usage = { input: 40, output: 20, cacheRead: 60, cacheWrite: 0, reasoning: 7 };
 */
export interface Usage {
  readonly input: number;
  readonly output: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
  /** Part of `output`. */
  readonly reasoning: number;
  /** What the provider says it billed for this request, in US dollars. */
  readonly costUsd?: number;
  /** The provider reported nothing: counted from the text, roughly. */
  readonly estimated?: true;
}

/** Which model was called, and where: what a request is priced and recorded by. */
export interface CalledModel {
  readonly provider: string;
  readonly model: string;
  readonly baseUrl: string;
}

/** `other` keeps a provider's own word in `AssistantMessage.finish_reason`. */
export type StopReason = 'stop' | 'tool_calls' | 'length' | 'content_filter' | 'other';

export type ModelEvent =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'reasoning'; readonly text: string }
  /** A tool call began to stream; its arguments follow and arrive whole in `done`. */
  | { readonly type: 'tool_call_started'; readonly index: number; readonly name: string }
  /** Another model was asked on the way to the answer; its tokens are not in the usage of `done`. */
  | { readonly type: 'spent'; readonly usage: Usage; readonly on: CalledModel }
  | {
      readonly type: 'done';
      readonly message: AssistantMessage;
      /** Absent when the provider reports none. */
      readonly usage?: Usage;
      /** Whose usage it is, when another model than the one of the route answered (a mixture's aggregator). */
      readonly answeredBy?: CalledModel;
      readonly stopReason: StopReason;
      /** With `content_filter`: what the provider says about it, one line for people. */
      readonly stopDetail?: string;
    };

/**
 * One wire format bound to one endpoint.
 *
 * @example
 * for await (const event of protocol.stream({ model, messages, tools: [], stream: true }, signal)) {
 *   if (event.type === 'text') show(event.text);
 *   if (event.type === 'done') keep(event.message);
 * }
 *
 * `stream` must yield exactly one `done`, as its last event, or throw exactly one `ModelError`;
 * it must never throw anything else (an aborted `signal` rejects with `ModelError` kind `aborted`),
 * never retry by itself, and never hold more than the bounded answer in memory. Whatever breaks an answer off, every
 * word that had come must be yielded before the error is thrown, so that the caller can keep it.
 */
export interface Protocol {
  stream(request: ModelRequest, signal: AbortSignal): AsyncIterable<ModelEvent>;
}

/** A model that can be called now: resolved provider, model and endpoint. Holds a key; never log it whole. */
export interface ModelRoute {
  readonly provider: string;
  readonly model: string;
  readonly baseUrl: string;
  readonly apiMode: ApiMode;
  readonly protocol: Protocol;
  /** For other questions to the same endpoint, such as its list of models; absent where it has no address. */
  readonly authorizer?: Authorizer;
  /** Window in tokens, when known. */
  readonly contextLength?: number;
  readonly maxTokens?: number;
  readonly temperature?: number;
  readonly extraBody?: JsonObject;
  /** False for models known to reject streaming. */
  readonly streaming: boolean;
  /** Whether the model takes images, when known. */
  readonly vision?: boolean;
}
