/** Calls that a running tool makes for what the model wrote, one after the other. */
import pLimit from 'p-limit';
import type { JsonObject } from '../lib/json.ts';
import { type ToolCall, type ToolMessage, textOf } from '../llm/message.ts';
import { mergeSources, type Source } from '../llm/source.ts';
import type { AgentEvent } from './events.ts';
import { thrownText } from './thrown-text.ts';
import type { CallableTools, InnerResult } from './tool.ts';

export interface InnerCallsOptions {
  /** Id of the call that makes them. */
  readonly outer: string;
  readonly names: readonly string[];
  /** Where the arguments come from: what the calling tool runs may have read anything. */
  readonly sources: readonly Source[];
  readonly entered: (sources: readonly Source[]) => void;
  /** Takes a call of a known tool past everything that stands before calls. */
  readonly run: (call: ToolCall, signal: AbortSignal) => Promise<ToolMessage>;
}

export class InnerCalls implements CallableTools {
  readonly names: ReadonlySet<string>;
  readonly #options: InnerCallsOptions;
  readonly #turns = pLimit(1);
  #count = 0;

  constructor(options: InnerCallsOptions) {
    this.#options = options;
    this.names = new Set(options.names);
  }

  call(name: string, args: JsonObject, signal: AbortSignal): Promise<InnerResult> {
    return this.#turns(async () => {
      try {
        return await this.#call(name, args, signal);
      } catch (error) {
        return { text: JSON.stringify({ error: thrownText(error) }), sources: [] };
      }
    });
  }

  async #call(name: string, args: JsonObject, signal: AbortSignal): Promise<InnerResult> {
    const { outer, sources, entered, run } = this.#options;
    if (!this.names.has(name)) throw new Error(`there is no tool '${name}' here`);
    entered(sources);
    this.#count += 1;
    // No id of the history: a question about it that nobody answered says nothing about what the calling tool has done.
    const id = `${outer}/${this.#count}`;
    const call = { id, type: 'function', function: { name, arguments: JSON.stringify(args) } } as const;
    const message = await run(call, signal);
    const brought = mergeSources(message.sources ?? [{ from: 'unknown', name }]);
    entered(brought);
    return { text: textOf(message.content), sources: brought };
  }
}

/** What of such a call a surface hears: questions to the person, who must be able to answer. */
export function isQuestion({ type }: AgentEvent): boolean {
  return (
    type === 'approval_requested' ||
    type === 'approval_answered' ||
    type === 'question_asked' ||
    type === 'question_answered'
  );
}
