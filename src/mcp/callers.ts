/** Which conversation a server works for right now: who is asked, and whose model answers, when it wants something. */
import type { ToolContext } from '../agent/tool.ts';
import type { SideModels } from '../llm/side-task.ts';

/** What a conversation brings along for the servers it calls. */
export interface McpSession {
  /** Masks the secrets that are known here. */
  readonly redact: (text: string) => string;
  /** Models for requests of servers; absent: there are none. */
  readonly side?: Pick<SideModels, 'ask'>;
}

export interface Caller {
  readonly session: McpSession;
  readonly context: Pick<ToolContext<unknown>, 'human' | 'signal' | 'sessionId'>;
}

export class Callers {
  readonly #running = new Set<Caller>();

  /** Returns what is to be called at the end of the call. */
  begin(caller: Caller): () => void {
    this.#running.add(caller);
    return () => this.#running.delete(caller);
  }

  /** Undefined when no call runs, and when calls of several conversations do: a question must not reach the wrong person. */
  get only(): Caller | undefined {
    const [first, ...others] = this.#running;
    return others.every(({ context }) => context.sessionId === first?.context.sessionId) ? first : undefined;
  }
}
