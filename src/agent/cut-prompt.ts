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

export interface CutPromptWatch {
  /** A line for the user, once a route, when the server read far fewer tokens than it was sent. */
  note(finished: FinishedRequest): string | undefined;
}

/** Smaller counts are no windows but servers that do not count, and smaller requests tell too little. */
const leastCounted = 1000;
const leastSent = 3500;
/** Estimates are off by less than this, so that fewer counted tokens mean fewer read ones. */
const countedShare = 0.6;
/** Some servers count only what they have not read before: what is new in a request, give or take. */
const newShare = 1.5;

export function createCutPromptWatch(): CutPromptWatch {
  /** Tokens of the request before, by route; `told` once the user knows. */
  const routes = new Map<string, number | 'told'>();
  return {
    note({ route: { provider, model, baseUrl }, request, answer, usage }) {
      const key = `${provider} ${model} ${baseUrl}`;
      const before = routes.get(key);
      if (before === 'told' || !isLocalHost(URL.parse(baseUrl)?.hostname ?? '')) return undefined;
      const counted = usage.input + usage.cacheRead + usage.cacheWrite;
      const sent = estimateUsage(request, answer).input;
      routes.set(key, sent);
      if (counted < leastCounted || sent < leastSent || counted >= sent * countedShare) return undefined;
      if (before !== undefined && counted <= (sent - before) * newShare) return undefined;
      routes.set(key, 'told');
      return `⚠ The server read about ${rounded(counted)} of ${rounded(sent)} tokens that ${model} was sent: its window is too small, and the model does not see everything. Give it 64,000 or more (Ollama: OLLAMA_CONTEXT_LENGTH or num_ctx in the Modelfile; LM Studio: context length when the model is loaded).`;
    },
  };
}

function rounded(tokens: number): string {
  return (Math.round(tokens / 100) * 100).toLocaleString('en-US');
}
