/** Notices a server that cuts off what it is sent without a word, as local ones do whose window is small. */
import { isLocalHost } from '../llm/endpoint.ts';
import { estimateUsage } from '../llm/estimate.ts';
import type { AssistantMessage } from '../llm/message.ts';
import type { ModelRequest, ModelRoute, Usage } from '../llm/protocol.ts';

export interface FinishedRequest {
  readonly route: Pick<ModelRoute, 'provider' | 'model' | 'baseUrl'>;
  readonly request: Pick<ModelRequest, 'messages' | 'tools'>;
  readonly answer: AssistantMessage;
  /** As the server reported it. */
  readonly usage: Usage;
}

/** Smaller counts are no windows but servers that do not count, and smaller requests tell too little. */
const minCounted = 1500;
const minSent = 3500;
/** Estimates are off by less than this, so that fewer counted tokens mean fewer read ones. */
const countedShare = 0.6;
/** Some servers count only what they have not read before: what is new in a request, give or take. */
const newShare = 1.5;

export class CutPromptWatch {
  /** Tokens that the request before was counted as, by route; `reported` once the user knows. */
  readonly #routes = new Map<string, number | 'reported'>();

  /** A line for the user, once a route, when the server read far fewer tokens than it was sent. */
  note({ route: { provider, model, baseUrl }, request, answer, usage }: FinishedRequest): string | undefined {
    const key = `${provider} ${model} ${baseUrl}`;
    const before = this.#routes.get(key);
    if (before === 'reported') return undefined;
    const counted = usage.input + usage.cacheRead + usage.cacheWrite;
    this.#routes.set(key, counted);
    // A count that grows with the conversation is no full window. This keeps the rest from running at every step.
    if (counted < minCounted || (before !== undefined && counted > before)) return undefined;
    if (!isLocalHost(URL.parse(baseUrl)?.hostname ?? '')) return undefined;
    const sent = estimateUsage(request, answer).input;
    if (sent < minSent || counted >= sent * countedShare) return undefined;
    if (before !== undefined && counted <= newTokens(request.messages, answer) * newShare) return undefined;
    this.#routes.set(key, 'reported');
    return `⚠ The server read about ${rounded(counted)} of ${rounded(sent)} tokens that ${model} was sent: its window is too small, and the model does not see everything. Give it 64,000 or more (Ollama: OLLAMA_CONTEXT_LENGTH or num_ctx in the Modelfile; LM Studio: context length when the model is loaded).`;
  }
}

/** Tokens since the answer before, with it. */
function newTokens(messages: ModelRequest['messages'], answer: AssistantMessage): number {
  const last = messages.findLastIndex(({ role }) => role === 'assistant');
  return estimateUsage({ messages: messages.slice(Math.max(0, last)), tools: [] }, answer).input;
}

function rounded(tokens: number): string {
  return (Math.round(tokens / 100) * 100).toLocaleString('en-US');
}
