/** How many tokens a request has, roughly: four characters each. Real figures of the provider correct it. */
import { weighMessage, weighTools } from '../../llm/estimate.ts';
import type { HistoryMessage } from '../../llm/message.ts';
import type { ToolSchema } from '../../llm/protocol.ts';

/** Weighs messages; each is read once, as long as the object lives. */
export class TokenEstimate {
  readonly #weights = new WeakMap<HistoryMessage, number>();

  /** Tokens of one message in a request: none for one that is left out of it. */
  message(message: HistoryMessage): number {
    if (message.role === 'user' && message.setAside === true) return 0;
    const known = this.#weights.get(message);
    if (known !== undefined) return known;
    const weight = weighMessage(message);
    this.#weights.set(message, weight);
    return weight;
  }

  history(history: readonly HistoryMessage[]): number {
    let sum = 0;
    for (const message of history) sum += this.message(message);
    return sum;
  }

  request(history: readonly HistoryMessage[], systemPromptChars: number, tools: readonly ToolSchema[]): number {
    return this.history(history) + Math.floor(systemPromptChars / 4) + this.#tools(tools);
  }

  #toolsSeen: readonly ToolSchema[] = [];
  #toolTokens = 0;

  #tools(tools: readonly ToolSchema[]): number {
    if (tools !== this.#toolsSeen) {
      this.#toolsSeen = tools;
      this.#toolTokens = weighTools(tools);
    }
    return this.#toolTokens;
  }
}
