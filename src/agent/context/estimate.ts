/** How many tokens a request has, roughly: four characters each. Real figures of the provider correct it. */
import type { ContentPart, HistoryMessage } from '../../llm/message.ts';
import type { ToolSchema } from '../../llm/protocol.ts';

/** What a picture counts, whatever the length of its data. */
const imageTokens = 1500;
/** Role, separators and ids of a message. */
const messageOverhead = 10;

/** Weighs messages; each is read once, as long as the object lives. */
export class TokenEstimate {
  readonly #weights = new WeakMap<HistoryMessage, number>();

  /** Tokens of one message. */
  message(message: HistoryMessage): number {
    const known = this.#weights.get(message);
    if (known !== undefined) return known;
    const weight = weigh(message);
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
      this.#toolTokens = Math.floor(JSON.stringify(tools).length / 4);
    }
    return this.#toolTokens;
  }
}

function weigh(message: HistoryMessage): number {
  let tokens = messageOverhead;
  const { content } = message;
  if (typeof content === 'string') tokens += Math.floor(content.length / 4);
  else if (content !== null) for (const part of content) tokens += weighPart(part);
  if (message.role !== 'assistant') return tokens;
  for (const call of message.tool_calls ?? []) {
    tokens += Math.floor((call.function.arguments.length + call.function.name.length) / 4) + messageOverhead;
  }
  const reasoning = message.reasoning_content ?? message.reasoning;
  return tokens + Math.floor((reasoning?.length ?? 0) / 4);
}

function weighPart(part: ContentPart): number {
  return part.type === 'text' ? Math.floor(part.text.length / 4) : imageTokens;
}
