/** The messages of a conversation and everything that is written down about them, in one place. */
import { errorMessage } from '../lib/errors.ts';
import { type HistoryMessage, kindOf } from '../llm/message.ts';
import type { CalledModel, Usage } from '../llm/protocol.ts';
import type { AgentEvent, TokenTotals } from './events.ts';
import type { SharedCompactions } from './shared-compactions.ts';
import type { Spending } from './spending.ts';
import { addUsage, noTokens, promptTokens } from './token-totals.ts';
import type { Transcript } from './transcript.ts';

/** State has one owner: the turn, the loop and the compressor change a conversation through this alone. */
export class ConversationLog {
  readonly #transcript: Transcript;
  readonly #spending: Spending;
  #messages: HistoryMessage[];
  #turn: HistoryMessage[] = [];
  #tokens: TokenTotals = noTokens;
  #compactionCount = 0;
  #systemPrompt: string | undefined;

  constructor(transcript: Transcript, history: readonly HistoryMessage[], spending: Spending) {
    this.#transcript = transcript;
    this.#messages = [...history];
    this.#spending = spending;
  }

  get sessionId(): string {
    return this.#transcript.sessionId;
  }

  get compactions(): SharedCompactions | undefined {
    return this.#transcript.compactions;
  }

  /** A new array after every change. */
  get messages(): readonly HistoryMessage[] {
    return this.#messages;
  }

  /** Of the turn that runs or ran last, also those that were compressed away. */
  get turn(): readonly HistoryMessage[] {
    return this.#turn;
  }

  get tokens(): TokenTotals {
    return this.#tokens;
  }

  get compactionCount(): number {
    return this.#compactionCount;
  }

  /** As the requests carry it; undefined before the first one. */
  get promptInUse(): string | undefined {
    return this.#systemPrompt;
  }

  /** Built with the first request and kept byte for byte until a compaction brings another. */
  async systemPrompt(build: () => Promise<string>): Promise<string> {
    this.#systemPrompt ??= await build();
    return this.#systemPrompt;
  }

  /** `answering`: the turn begins with the newest message that is there. */
  beginTurn(answering = false): void {
    this.#turn = answering ? this.#messages.slice(-1) : [];
  }

  /** Stores a message and adds it; the event says so. */
  async keep(message: HistoryMessage): Promise<AgentEvent> {
    const id = await this.#transcript.append(message);
    this.#messages = [...this.#messages, message];
    this.#turn = [...this.#turn, message];
    return { type: 'message_stored', id, role: message.role, kind: kindOf(message) };
  }

  /** Leaves the newest message, a user's, out of every later request. */
  async setAsideLast(): Promise<void> {
    const last = this.#messages.at(-1);
    if (last?.role !== 'user') return;
    await this.#transcript.setAsideLast();
    this.#messages = [...this.#messages.slice(0, -1), { ...last, setAside: true }];
  }

  replace(history: readonly HistoryMessage[]): void {
    this.#messages = [...history];
  }

  /**
   * Goes on with a shortened history, under whatever prompt and session belong to it. False when it cannot be stored:
   * then everything is as it was, and a warning says so.
   */
  async *compact(shorter: readonly HistoryMessage[], tokensAfter: number): AsyncGenerator<AgentEvent, boolean> {
    const from = this.#transcript.sessionId;
    try {
      const next = await this.#transcript.compact(shorter);
      this.#messages = [...next.history];
      this.#systemPrompt = next.systemPrompt;
      this.#compactionCount += 1;
      // The figure of the old, longer request would have the new one shortened at once.
      this.#tokens = { ...this.#tokens, last_prompt_tokens: tokensAfter };
    } catch (error) {
      const message = `The conversation was not compressed, because it could not be stored: ${errorMessage(error)}`;
      yield { type: 'status', kind: 'warning', message };
      return false;
    }
    const to = this.#transcript.sessionId;
    if (to !== from) yield { type: 'session_moved', from, to };
    return true;
  }

  /** Adds up and books the tokens of one model request. */
  async recordUsage(usage: Usage, on: CalledModel): Promise<void> {
    this.#tokens = addUsage(this.#tokens, usage);
    await this.#transcript.recordUsage(usage, on);
    await this.#spending.record(usage, on);
  }

  /** Remembers how full the window was, from what the provider counted for an answer. */
  notePrompt(usage: Usage): void {
    this.#tokens = { ...this.#tokens, last_prompt_tokens: promptTokens(usage) };
  }
}
