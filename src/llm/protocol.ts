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
  | 'in_process';

export interface ModelRequest {
  readonly model: string;
  /** System message first, then the repaired history. */
  readonly messages: readonly Message[];
  /** Sorted by name; empty means that no tools are offered. */
  readonly tools: readonly ToolSchema[];
  readonly maxTokens?: number;
  readonly temperature?: number;
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
}

/** Tokens of one request. `input` excludes cached tokens: prompt = input + cacheRead + cacheWrite. */
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
 * `stream` must yield exactly one `done`, as its last event, or throw exactly one `ModelError`;
 * it must never throw anything else (an aborted `signal` rejects with `ModelError` kind `aborted`),
 * never retry by itself, and never hold more than the bounded answer in memory.
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
