/** The person as one tool call sees them: what it asks is an event as well, and a surface that fails has said no. */
import { randomUUID } from 'node:crypto';
import type { LimitFunction } from 'p-limit';
import type { AgentEvent } from './events.ts';
import { type ApprovalAnswer, type ApprovalRequest, choiceOf, type ClarifyAnswer, type Human } from './human.ts';
import { type Patience, waitFor } from './wait-for.ts';

export interface CallHumanOptions {
  readonly human: Human;
  readonly callId: string;
  readonly patience: Patience;
  /** Shared by the calls of a message: questions are asked one at a time. */
  readonly asking: LimitFunction;
  readonly emit: (event: AgentEvent) => void;
}

interface Asked<T> {
  readonly question: string;
  readonly choices: readonly string[];
  readonly isAnswer: (given: T) => boolean;
}

export class CallHuman implements Human {
  readonly #options: CallHumanOptions;

  constructor(options: CallHumanOptions) {
    this.#options = options;
  }

  get present(): boolean {
    return this.#options.human.present;
  }

  get clarifies(): boolean {
    return this.#options.human.clarifies;
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

  async clarify(question: string, choices: readonly string[], signal: AbortSignal): Promise<ClarifyAnswer> {
    const { human } = this.#options;
    const given = await this.#ask(
      { question, choices, isAnswer: (answer) => 'said' in answer },
      async (): Promise<ClarifyAnswer> => await human.clarify(question, choices, signal),
    );
    return given ?? { unanswered: signal.aborted ? 'cancelled' : 'unasked' };
  }

  async secret(prompt: string, signal: AbortSignal): Promise<string | undefined> {
    const { human } = this.#options;
    return await this.#ask(
      { question: prompt, choices: [], isAnswer: (given) => given !== undefined },
      async () => await human.secret(prompt, signal),
    );
  }

  async #ask<T>({ question, choices, isAnswer }: Asked<T>, ask: () => Promise<T>): Promise<T | undefined> {
    const { callId, emit } = this.#options;
    return await this.#options.asking(async () => {
      const id = randomUUID();
      emit({ type: 'question_asked', id, callId, question, choices });
      const given = await this.#answer(ask);
      emit({ type: 'question_answered', id, callId, answered: given !== undefined && isAnswer(given) });
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
