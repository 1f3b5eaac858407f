/** One place that models are asked at: address, key, time limits and the ways in which it differs from others. */
import type { Connections, Network } from '../lib/connections.ts';
import type { JsonObject } from '../lib/json.ts';
import { isLocalHost } from '../lib/local-host.ts';
import type { Authorizer } from './authorizer.ts';
import type { ModelRequest, ReasoningEffort } from './protocol.ts';

export { isLocalHost } from '../lib/local-host.ts';

/** The key that is sent to endpoints of one's own that need none. */
export const noKeyRequired = 'no-key-required';

/** Limits of one request, in milliseconds; 0 switches a limit off. */
export interface Timeouts {
  /** A whole (not streamed) answer, from sending to the last byte. */
  readonly totalMs: number;
  /** The same for a streamed answer: how long a model may keep talking. */
  readonly streamTotalMs: number;
  /** Silence on the wire while streaming, keep-alive comments not counted as silence. */
  readonly readMs: number;
  /** Until the first event of a streamed answer. */
  readonly firstEventMs: number;
  /** No event of an answer while streaming, keep-alive comments or not. Raised for large requests. */
  readonly staleMs: number;
  /** Silence on the wire while waiting for a whole answer. */
  readonly staleWholeMs: number;
}

/** Differences between endpoints of one wire format. All optional: the default is the common case. */
export interface Quirks {
  /** Default `max_tokens`. */
  readonly maxTokensField?: 'max_tokens' | 'max_completion_tokens';
  /** Models that take role `developer` instead of `system`. */
  readonly developerRoleModels?: RegExp;
  /** False: the endpoint rejects `reasoning_content` and `reasoning_details` in messages. Default true. */
  readonly replayReasoning?: boolean;
  /** True: tool results may hold images. Otherwise they follow in a user message. */
  readonly imagesInToolResults?: boolean;
  /** How the reasoning effort is asked for; absent = it is not sent. */
  readonly reasoning?:
    | 'openrouter'
    | 'nous'
    | 'gateway'
    | 'reasoning_effort'
    | 'own_server'
    | 'kimi'
    | 'deepseek'
    | 'zai'
    | 'ollama'
    | 'opencode_go';
  /** Efforts that the endpoint knows when it does not know all; others become the nearest that it knows. */
  readonly efforts?: readonly ReasoningEffort[];
  /** `omit`: the endpoint refuses a temperature; a number: the only one it takes. */
  readonly temperature?: 'omit' | number;
  /** Responses: false = no encrypted reasoning is asked for, and no cache key is sent (GitHub's hosts). */
  readonly encryptedReasoning?: boolean;
  /** Responses: false = no `reasoning` parameter at all (xAI). */
  readonly reasoningParameter?: boolean;
  /** Anthropic messages: true = model names keep their dots (DashScope). */
  readonly dottedModelNames?: boolean;
  /** Anthropic messages: false = unsigned thinking is not replayed and no betas are asked for. */
  readonly nativeAnthropic?: boolean;
  /** Anthropic messages: true = user messages may hold videos, which Anthropic's own may not (MiniMax). */
  readonly videos?: boolean;
  /** Chat completions: Claude models behind it take Anthropic's cache marks. */
  readonly cacheMarks?: boolean;
  /** The body field that carries the session id for cache routing. */
  readonly sessionField?: 'prompt_cache_key' | 'session_id';
  /** True: a Claude model without a configured limit is asked for its native maximum of output. */
  readonly claudeOutputCap?: boolean;
}

/** A request as it was sent, without its headers, since the key is among them. */
export interface SentRequest {
  readonly provider: string;
  readonly url: string;
  readonly body: JsonObject;
}

/** What the models of an endpoint refused, kept beyond this process. Must not throw. */
export interface KeptRefusals {
  /** What was kept of a model; nothing when that was long ago. */
  of(model: string): readonly string[];
  /** Takes the place of what was kept of the model before. */
  keep(model: string, refused: readonly string[]): void;
}

export interface Endpoint {
  /** Provider id, for messages. */
  readonly provider: string;
  /** Without a trailing slash, up to and with `/v1` where there is one. */
  readonly baseUrl: string;
  /** Absent for AWS, whose requests are signed by its own library. */
  readonly authorizer?: Authorizer;
  /** Added to every address (`api-version`). */
  readonly query?: Readonly<Record<string, string>>;
  /** Sent with every request, over the standard ones and those of the authorizer. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Headers that depend on the request, over `headers`. */
  readonly requestHeaders?: (request: ModelRequest) => Readonly<Record<string, string>>;
  readonly timeouts?: Partial<Timeouts>;
  /** What depends on the size of a request, in tokens; over `timeouts`. */
  readonly timeoutsBySize?: (requestTokens: number) => Partial<Timeouts>;
  readonly quirks?: Quirks;
  /** Merged into the top level of every request body of this endpoint. */
  readonly extraBody?: JsonObject;
  /** AWS Bedrock only. */
  readonly bedrock?: {
    /** A Bedrock API key, instead of credentials of AWS. */
    readonly apiKey?: string;
    /** For base URLs that name none themselves. */
    readonly region?: string;
    /** Of the shared AWS configuration; default: what the AWS credential chain finds. */
    readonly profile?: string;
    readonly guardrail?: {
      readonly identifier: string;
      readonly version: string;
      readonly streamProcessingMode?: 'sync' | 'async';
      readonly trace?: 'enabled' | 'disabled' | 'enabled_full';
    };
  };
  /** Proxies, certificate authorities, kind of addresses. */
  readonly network?: EndpointNetwork;
  /** Absent: what is learned from refusals is forgotten with the process. */
  readonly refusals?: KeptRefusals;
  /** Gets every request, for whoever looks for a mistake in it. Must not throw. */
  readonly dump?: (request: SentRequest) => void;
  /** Window of the model in tokens, to tell a generic refusal of a huge request from other refusals. */
  readonly contextLength?: number;
}

export interface EndpointNetwork extends Network {
  /** Shared with others that reach the world in this way; default: its own. */
  readonly connections?: Connections;
}

/** The limits that hold for a host, with `overrides` on top. Local models may think long before the first word. */
export function timeoutsFor(hostname: string, overrides: Partial<Timeouts> = {}): Timeouts {
  const local = isLocalHost(hostname);
  return {
    totalMs: 1_800_000,
    streamTotalMs: local ? 7_200_000 : 3_600_000,
    readMs: local ? 1_800_000 : 120_000,
    firstEventMs: 0,
    staleMs: local ? 900_000 : 180_000,
    staleWholeMs: local ? 0 : 300_000,
    ...overrides,
  };
}

/** True when `hostname` is `domain` or a name below it; `openrouter.ai.evil.test` is not below `openrouter.ai`. */
export function hostMatches(hostname: string, domain: string): boolean {
  const host = hostname.toLowerCase();
  return host === domain || host.endsWith(`.${domain}`);
}
