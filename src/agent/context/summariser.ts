/** Has a model write the summary of messages that go, in as many parts as it takes; remembers when that fails. */
import { errorMessage } from '../../lib/errors.ts';
import type { HistoryMessage } from '../../llm/message.ts';
import type { SideModels } from '../../llm/side-task.ts';
import type { Clock } from '../clock.ts';
import type { SharedCompactions, SummaryFailure } from '../shared-compactions.ts';
import { isUsableSummary, summaryPrompt, withoutFacts } from './summary-text.ts';

export interface SummariserOptions {
  readonly side: SideModels;
  readonly clock: Clock;
  /** Masks secrets before a text goes to the summariser. */
  readonly redact: (text: string) => string;
}

export interface SummaryTask {
  readonly turns: readonly HistoryMessage[];
  readonly previous: string | undefined;
  readonly focus: string | undefined;
  /** Window of the conversation's model, in tokens. */
  readonly window: number;
  /** Tokens of one message. */
  readonly weigh: (message: HistoryMessage) => number;
  /** Who else has the conversation hears of a failure, and this hears of theirs. */
  readonly compactions?: SharedCompactions | undefined;
}

export type Summary = { readonly body: string } | { readonly problem: string };

const maxTries = 2;
/** What one message takes up in the summariser's prompt at most. */
const renderedTokens = 1500;
/** Waits after the first failure and after further ones in a row: a model that is back soon is asked soon. */
const cooldownMs = { first: 30_000, later: 60_000 } as const;
/** Characters of a summary for each token that was asked for; some models stop at no limit. */
const maxCharsPerToken = 10;

export class Summariser {
  readonly #options: SummariserOptions;
  #hasFailed = false;
  #coolUntil = 0;
  /** The end of somebody else's wait that was taken over, or must not be. */
  #seenUntil = 0;
  #isForgiven = false;

  constructor(options: SummariserOptions) {
    this.#options = options;
  }

  /** A person asks: what failed before is tried again. */
  forgive(): void {
    this.#hasFailed = false;
    this.#coolUntil = 0;
    this.#isForgiven = true;
  }

  /** Aborts reject; everything else is a `problem` in words. */
  async summarise(task: SummaryTask, signal: AbortSignal): Promise<Summary> {
    const { side, clock, redact } = this.#options;
    const shared = await task.compactions?.failure();
    this.#takeOver(shared);
    if (clock.now() < this.#coolUntil) return { problem: 'the last try failed a moment ago' };
    const weight = task.turns.reduce((sum, message) => sum + task.weigh(message), 0);
    const budgetTokens = summaryBudget(weight, task.window);
    const room = Math.min(task.window, (await side.contextLength('compression')) ?? task.window) * 0.6;
    let body = task.previous === undefined ? undefined : withoutFacts(task.previous);
    for (const part of inParts(task.turns, (message) => Math.min(task.weigh(message), renderedTokens), room)) {
      const content = summaryPrompt({ turns: part, previous: body, focus: task.focus, budgetTokens, redact });
      const summary = await this.#ask(content, budgetTokens, signal);
      if ('problem' in summary) {
        const until = clock.now() + (this.#hasFailed ? cooldownMs.later : cooldownMs.first);
        this.#coolUntil = until;
        this.#seenUntil = until;
        this.#hasFailed = true;
        const { problem } = summary;
        await task.compactions?.setFailure({ until, problem, inARow: (shared?.inARow ?? 0) + 1 });
        return summary;
      }
      body = summary.body;
    }
    this.#hasFailed = false;
    if (shared !== undefined) await task.compactions?.setFailure(undefined);
    return body === undefined ? { problem: 'there was nothing to summarise' } : { body };
  }

  /** What failed for others is not tried at once, but never waited for longer than for a failure here. */
  #takeOver(shared: SummaryFailure | undefined): void {
    const isForgiven = this.#isForgiven;
    this.#isForgiven = false;
    if (shared === undefined || shared.until === this.#seenUntil) return;
    this.#seenUntil = shared.until;
    if (isForgiven) return;
    this.#hasFailed = true;
    this.#coolUntil = Math.min(shared.until, this.#options.clock.now() + cooldownMs.later);
  }

  /** An answer that is no summary is asked for once more; an error is not: the request has retries of its own. */
  async #ask(content: string, budgetTokens: number, signal: AbortSignal): Promise<Summary> {
    let problem = '';
    for (let attempt = 0; attempt < maxTries; attempt += 1) {
      try {
        const messages = [{ role: 'user' as const, content }];
        // Without a limit: of a model that thinks first it would leave half a summary, or none.
        const request = { messages, temperature: 0.3 };
        const { text } = await this.#options.side.ask('compression', request, signal);
        if (isUsableSummary(text)) return { body: text.slice(0, budgetTokens * maxCharsPerToken).toWellFormed() };
        problem = text.trim() === '' ? 'the answer was empty' : 'the answer was no summary';
      } catch (error) {
        signal.throwIfAborted();
        return { problem: errorMessage(error) };
      }
    }
    return { problem };
  }
}

/** Tokens that a summary of so many should take. */
export function summaryBudget(tokens: number, window: number): number {
  return Math.round(Math.max(2000, Math.min(0.2 * tokens, window * 0.05, 10_000)));
}

/** Neighbouring messages in groups that fit; a summary is carried from group to group. */
function inParts(
  turns: readonly HistoryMessage[],
  weigh: (message: HistoryMessage) => number,
  room: number,
): HistoryMessage[][] {
  const parts: HistoryMessage[][] = [[]];
  let left = room;
  for (const message of turns) {
    left -= weigh(message);
    if (left < 0 && parts.at(-1)?.length !== 0) {
      parts.push([]);
      left = room - weigh(message);
    }
    parts.at(-1)?.push(message);
  }
  return parts;
}
