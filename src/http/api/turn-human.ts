/** Who is asked in a conversation over the API: nobody, or whoever watches the run under way. */
import {
  type ApprovalAnswer,
  type ApprovalRequest,
  type ClarifyAnswer,
  type Human,
  headless,
} from '../../agent/human.ts';

/** The same for all turns of a session; `asks` changes from turn to turn. */
export class TurnHuman implements Human {
  asks: Human = headless;
  /** No request takes an answer in words. */
  readonly clarifies = false;

  get present(): boolean {
    return this.asks.present;
  }

  async approve(request: ApprovalRequest, signal: AbortSignal): Promise<ApprovalAnswer> {
    return await this.asks.approve(request, signal);
  }

  async clarify(question: string, choices: readonly string[], signal: AbortSignal): Promise<ClarifyAnswer> {
    return await this.asks.clarify(question, choices, signal);
  }

  async secret(prompt: string, signal: AbortSignal): Promise<string | undefined> {
    return await this.asks.secret(prompt, signal);
  }
}
