/** The person as one tool call sees them: what it asks is an event as well, and a surface that fails has said no. */
import { randomUUID } from 'node:crypto';
import type { LimitFunction } from 'p-limit';
import type { AgentEvent } from './events.ts';
import { type ApprovalAnswer, type ApprovalRequest, choiceOf, type Human } from './human.ts';
import { type Patience, waitFor } from './wait-for.ts';

export interface CallHumanOptions {
  readonly human: Human;
  readonly callId: string;
  readonly patience: Patience;
  /** Shared by the calls of a message: questions are asked one at a time. */
  readonly asking: LimitFunction;
  readonly emit: (event: AgentEvent) => void;
}

export class CallHuman implements Human {
  readonly #options: CallHumanOptions;

  constructor(options: CallHumanOptions) {
    this.#options = options;
  }

  get present(): boolean {
    return this.#options.human.present;
  }

  async approve(request: ApprovalRequest, signal: AbortSignal): Promise<ApprovalAnswer> {
    const { human, callId, emit } = this.#options;
    return await this.#options.asking(async () => {
      const id = randomUUID();
      emit({ type: 'approval_requested', id, callId, request });
      const given = signal.aborted ? undefined : await this.#answer(() => human.approve(request, signal));
      const answer = given ?? 'deny';
      emit({ type: 'approval_answered', id, callId, choice: choiceOf(answer) });
      return answer;
    });
  }

  async clarify(question: string, choices: readonly string[], signal: AbortSignal): Promise<string | undefined> {
    const { human } = this.#options;
    return await this.#ask(question, choices, () => human.clarify(question, choices, signal));
  }

  async secret(prompt: string, signal: AbortSignal): Promise<string | undefined> {
    const { human } = this.#options;
    return await this.#ask(prompt, [], () => human.secret(prompt, signal));
  }

  async #ask(
    question: string,
    choices: readonly string[],
    ask: () => Promise<string | undefined>,
  ): Promise<string | undefined> {
    const { callId, emit } = this.#options;
    return await this.#options.asking(async () => {
      const id = randomUUID();
      emit({ type: 'question_asked', id, callId, question, choices });
      const given = await this.#answer(ask);
      emit({ type: 'question_answered', id, callId, answered: given !== undefined });
      return given;
    });
  }

  async #answer<T>(ask: () => Promise<T>): Promise<T | undefined> {
    try {
      const waited = await waitFor(ask(), this.#options.patience);
      return 'value' in waited ? waited.value : undefined;
    } catch {
      // A surface that cannot ask has no answer to give; the call is refused or goes on without one, and says so.
      return undefined;
    }
  }
}
