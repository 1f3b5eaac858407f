/** The default context engine: old tool output is cleared, old turns become a summary, recent ones stay as they are. */
import { errorMessage } from '../../lib/errors.ts';
import type { HistoryMessage } from '../../llm/message.ts';
import type { SideModels } from '../../llm/side-task.ts';
import type { Clock } from '../clock.ts';
import { assemble } from './assemble.ts';
import { type Boundaries, findBoundaries, keepExchanges } from './boundaries.ts';
import type { CompressWish, ContextEngine, ContextModel, ContextRequest, Fit } from './engine.ts';
import { TokenEstimate } from './estimate.ts';
import { factsOf } from './facts.ts';
import { isRequest } from './own-notes.ts';
import { cutLongResults, pruneOldResults } from './prune.ts';
import {
  findSummary,
  isUsableSummary,
  mechanicalSummary,
  summaryQuestion,
  withFacts,
  withPrefix,
} from './summary-text.ts';

/** `compression.*` of the configuration. */
export interface CompressorSettings {
  readonly enabled: boolean;
  /** Share of the window from which a history is shortened. */
  readonly threshold: number;
  /** Share of the threshold that stays at the end. */
  readonly targetRatio: number;
  readonly protectFirst: number;
  readonly protectLast: number;
  /** Raise the threshold for gpt-5.5 on Codex. */
  readonly codexAutoraise: boolean;
}

export interface CompressorOptions {
  readonly settings: CompressorSettings;
  readonly side: SideModels;
  readonly clock: Clock;
  /** Masks secrets before a text goes to the summariser. */
  readonly redact: (text: string) => string;
  /** A window smaller than thought, in tokens, read from a provider's refusal; undefined when it names none. */
  learn?(refusal: string, request: ContextRequest): Promise<number | undefined>;
  /** A window that `learn` named, in tokens, with which a request then got through. Must not reject. */
  keepWindow?(model: ContextModel, tokens: number): Promise<void>;
}

const unknownWindow = 128_000;
/** Windows that are tried when a refusal names no number. */
const tiers = [128_000, 64_000, 32_000, 16_000, 8000] as const;
/** The threshold for gpt-5.5 on Codex when `codexAutoraise` is on. */
const raisedThreshold = 0.85;
const maxPasses = 3;
const maxTries = 2;
/** The most that one message takes up in the summariser's question. */
const renderedTokens = 1500;
const cooldownMs = 600_000;
/** A compaction that saves less is one of those after which it is left alone. */
const worthwhile = 0.1;

export function createCompressor(options: CompressorOptions): ContextEngine {
  return new Compressor(options);
}

class Compressor implements ContextEngine {
  readonly name = 'compressor';
  compressions = 0;
  readonly #options: CompressorOptions;
  readonly #estimate = new TokenEstimate();
  /** Real tokens per estimated one, as the provider's figures say. */
  #ratio = 1;
  #estimatedLast = 0;
  #seenPromptTokens: number | undefined;
  #thrashed = 0;
  #coolUntil = 0;
  #told = new Set<string>();
  /** Windows that turned out smaller than thought, by model and address. */
  readonly #windows = new Map<string, number>();
  /** Those of them that a refusal named and no request has shown to be right yet. */
  readonly #unproven = new Map<string, number>();

  constructor(options: CompressorOptions) {
    this.#options = options;
  }

  thresholdTokens(model: ContextModel): number | undefined {
    return this.#options.settings.enabled ? this.#thresholdFor(model, this.#windowOf(model)) : undefined;
  }

  async answered(model: ContextModel): Promise<void> {
    const key = keyOf(model);
    const tokens = this.#unproven.get(key);
    if (tokens === undefined) return;
    this.#unproven.delete(key);
    await this.#options.keepWindow?.(model, tokens);
  }

  reset(): void {
    this.compressions = 0;
    this.#thrashed = 0;
    this.#coolUntil = 0;
    this.#told.clear();
    this.#seenPromptTokens = undefined;
  }

  async fit(request: ContextRequest, signal: AbortSignal): Promise<Fit> {
    this.#calibrate(request);
    const window = request.overflow ? await this.#afterOverflow(request) : this.#windowOf(request);
    const { settings } = this.#options;
    const threshold = this.#thresholdFor(request, window);
    const tokens = this.#tokens(request.history, request);
    const notices: string[] = [];
    if (settings.enabled && this.#isRaised(request)) this.#tell(notices, raisedLine(threshold, window));
    if (!request.overflow && (!settings.enabled || tokens < threshold)) {
      return { ...this.#asItIs(request, tokens), notices };
    }
    if (!request.overflow && this.#thrashed >= 2) {
      this.#tell(notices, 'The conversation is long and cannot be shortened much further; /compress or /new help.');
      if (tokens < window * 0.95) return { ...this.#asItIs(request, tokens), notices };
    }
    // After a refusal the window is a guess: what is sent next must be clearly smaller than what was refused.
    const target = request.overflow ? Math.min(threshold, tokens * 0.7) : threshold;
    return await this.#shorten(request, { window, target, notices, wish: {} }, signal);
  }

  async compress(request: ContextRequest, wish: CompressWish, signal: AbortSignal): Promise<Fit> {
    this.#thrashed = 0;
    this.#coolUntil = 0;
    const window = this.#windowOf(request);
    const done = await this.#shorten(request, { window, target: 0, notices: [], wish }, signal);
    if (done.compaction !== undefined || done.notices.length > 0) return done;
    return { ...done, notices: ['There is nothing to compress yet: the conversation is short.'] };
  }

  #asItIs(request: ContextRequest, tokens: number): Fit {
    this.#estimatedLast = tokens / this.#ratio;
    return { history: request.history, fits: true, notices: [] };
  }

  async #shorten(request: ContextRequest, plan: Plan, signal: AbortSignal): Promise<Fit> {
    const { history } = request;
    const before = this.#tokens(history, request);
    const notices = [...plan.notices];
    let current = history;
    let summarised: boolean | undefined;
    for (let pass = 0; pass < maxPasses; pass += 1) {
      const tokens = this.#tokens(current, request);
      if (pass > 0 && tokens <= plan.target) break;
      const boundaries = this.#boundaries(current, plan);
      if (boundaries === undefined || !this.#isWorthIt(current, boundaries, plan)) break;
      if (pass === 0) await request.beforeShortening?.();
      signal.throwIfAborted();
      const step = await this.#replaceMiddle(current, boundaries, plan, notices, signal);
      const smaller = this.#tokens(step.history, request) < tokens;
      if (!smaller && plan.wish.keepExchanges === undefined) break;
      current = step.history;
      summarised = (summarised ?? true) && step.summarised;
      if (plan.target === 0) break;
    }
    // What a person wants kept stays whole; the next request shortens more if it must.
    const fitted = plan.wish.keepExchanges === undefined ? this.#cutWhatIsLeft(current, request, plan) : current;
    const after = this.#tokens(fitted, request);
    this.#estimatedLast = after / this.#ratio;
    this.#seenPromptTokens = request.lastPromptTokens;
    const fits = after < plan.window && (!request.overflow || after < before);
    if (fitted === history) {
      this.#thrashed += 1;
      return { history, fits: !request.overflow && fits, notices };
    }
    this.compressions += 1;
    this.#thrashed = after > before * (1 - worthwhile) ? this.#thrashed + 1 : 0;
    return {
      history: fitted,
      fits,
      notices,
      compaction: {
        tokensBefore: Math.round(before),
        tokensAfter: Math.round(after),
        messagesBefore: history.length,
        messagesAfter: fitted.length,
        summarised: summarised ?? true,
      },
    };
  }

  #boundaries(history: readonly HistoryMessage[], { window, wish }: Plan): Boundaries | undefined {
    const { protectFirst, protectLast, targetRatio, threshold } = this.#options.settings;
    if (wish.keepExchanges !== undefined) return keepExchanges(history, wish.keepExchanges, protectFirst);
    const weigh = (message: HistoryMessage) => this.#estimate.message(message) * this.#ratio;
    const tailTokens = window * threshold * targetRatio;
    const rules = { protectFirst, protectLast, tailTokens, weigh };
    if (history.length > protectFirst + protectLast + 1) {
      const usual = findBoundaries(history, rules);
      if (usual !== undefined) return usual;
    }
    // Few but huge messages: keep fewer of them rather than fail.
    const heavy = this.#estimate.history(history) * this.#ratio > window * 0.9;
    return heavy ? findBoundaries(history, { ...rules, protectFirst: 1, protectLast: 4 }) : undefined;
  }

  /** A summary of little costs a request and saves nothing. */
  #isWorthIt(history: readonly HistoryMessage[], { head, tail }: Boundaries, { target }: Plan): boolean {
    if (target === 0) return true;
    const middle = this.#estimate.history(history.slice(head, tail));
    return middle > Math.max(500, 0.05 * this.#estimate.history(history));
  }

  async #replaceMiddle(
    history: readonly HistoryMessage[],
    { head, tail }: Boundaries,
    plan: Plan,
    notices: string[],
    signal: AbortSignal,
  ): Promise<{ readonly history: HistoryMessage[]; readonly summarised: boolean }> {
    const pruned = pruneOldResults(history, this.#options.settings.protectLast * 3);
    const previous = findSummary(pruned.slice(0, tail));
    // The summary and the facts come from the messages as they were, not from what clearing left of them.
    const facts = factsOf(history.slice(0, tail));
    const body = await this.#summarise(history.slice(head, tail), previous, plan, notices, signal);
    const kept = { first: history.slice(0, head).some(isRequest), latest: history.slice(tail).some(isRequest) };
    const text = withFacts(
      body ?? mechanicalSummary(facts, previous),
      factsOf(history.slice(head, tail)),
      previous,
      kept,
    );
    const end = (plan.wish.keepExchanges === undefined ? pruned : history).slice(tail);
    return {
      history: assemble(pruned.slice(0, head), withPrefix(text), end),
      summarised: body !== undefined,
    };
  }

  /** The body of a summary that passed the check; undefined when there is none to be had. */
  async #summarise(
    turns: readonly HistoryMessage[],
    previous: string | undefined,
    { window, wish }: Plan,
    notices: string[],
    signal: AbortSignal,
  ): Promise<string | undefined> {
    const { side, clock, redact } = this.#options;
    const failed = 'Earlier turns were replaced by a list of facts, because no summary could be made';
    if (clock.now() < this.#coolUntil) {
      this.#tell(notices, `${failed} a short while ago. The full conversation is kept on disk.`);
      return undefined;
    }
    const most = Math.min(window * 0.05, 12_000);
    const budgetTokens = Math.round(Math.max(2000, Math.min(0.2 * this.#estimate.history(turns), most)));
    const room = Math.min(window, (await side.contextLength('compression')) ?? window) * 0.6;
    let body = previous;
    let problem: string | undefined;
    for (const part of inParts(turns, (message) => this.#weighRendered(message), room)) {
      const content = summaryQuestion({ turns: part, previous: body, focus: wish.focus, budgetTokens, redact });
      const answer = await this.#askForSummary(content, budgetTokens, signal);
      if ('problem' in answer) {
        problem = answer.problem;
        break;
      }
      body = answer.body;
    }
    if (problem === undefined) return body;
    this.#coolUntil = clock.now() + cooldownMs;
    notices.push(`${failed} (${problem}). The full conversation is kept on disk.`);
    return undefined;
  }

  /** An answer that is no summary is asked for once more; an error is not, the way to the model has its own retries. */
  async #askForSummary(
    content: string,
    budgetTokens: number,
    signal: AbortSignal,
  ): Promise<{ readonly body: string } | { readonly problem: string }> {
    let problem = '';
    for (let attempt = 0; attempt < maxTries; attempt += 1) {
      try {
        const messages = [{ role: 'user' as const, content }];
        const question = { messages, temperature: 0.3, maxTokens: 2 * budgetTokens };
        const { text } = await this.#options.side.ask('compression', question, signal);
        if (isUsableSummary(text)) return { body: text };
        problem = text.trim() === '' ? 'the answer was empty' : 'the answer was no summary';
      } catch (error) {
        signal.throwIfAborted();
        return { problem: errorMessage(error) };
      }
    }
    return { problem };
  }

  /** Tokens of a message in the summariser's question, where long texts are cut. */
  #weighRendered(message: HistoryMessage): number {
    return Math.min(this.#estimate.message(message), renderedTokens);
  }

  /** What must stay may still be too much: then its longest tool results are cut. */
  #cutWhatIsLeft(history: readonly HistoryMessage[], request: ContextRequest, plan: Plan): readonly HistoryMessage[] {
    const limit = Math.min(
      plan.window * 0.9,
      plan.target === 0 ? Number.POSITIVE_INFINITY : Math.max(plan.target, plan.window * 0.5),
    );
    const excess = (this.#tokens(history, request) - limit) / this.#ratio;
    return excess > 0 ? cutLongResults(history, excess) : history;
  }

  #tokens(history: readonly HistoryMessage[], { systemPromptChars, tools }: ContextRequest): number {
    return this.#estimate.request(history, systemPromptChars, tools) * this.#ratio;
  }

  #calibrate({ lastPromptTokens }: ContextRequest): void {
    if (lastPromptTokens === undefined || lastPromptTokens === this.#seenPromptTokens) return;
    this.#seenPromptTokens = lastPromptTokens;
    // Small prompts say little, and a wrong figure must not do much harm; Chinese has a token for nearly every character.
    if (this.#estimatedLast > 500) this.#ratio = Math.min(4, Math.max(0.6, lastPromptTokens / this.#estimatedLast));
  }

  #thresholdFor(model: ContextModel, window: number): number {
    return Math.floor(window * (this.#isRaised(model) ? raisedThreshold : this.#options.settings.threshold));
  }

  #isRaised({ provider, model }: ContextModel): boolean {
    const { threshold, codexAutoraise } = this.#options.settings;
    return codexAutoraise && threshold < raisedThreshold && provider === 'openai-codex' && model.startsWith('gpt-5.5');
  }

  #windowOf(model: ContextModel): number {
    return this.#windows.get(keyOf(model)) ?? model.contextLength ?? unknownWindow;
  }

  /** The window after a refusal: what the provider named, else one step down. */
  async #afterOverflow(request: ContextRequest): Promise<number> {
    const known = this.#windowOf(request);
    const named = await this.#options.learn?.(request.refusal ?? '', request);
    const tokens = this.#tokens(request.history, request);
    const smaller = named ?? (tokens < known * 0.9 ? tiers.find((tier) => tier < known) : known) ?? known;
    if (smaller >= known) return known;
    this.#windows.set(keyOf(request), smaller);
    if (named !== undefined) this.#unproven.set(keyOf(request), named);
    return smaller;
  }

  #tell(notices: string[], line: string): void {
    if (this.#told.has(line)) return;
    this.#told.add(line);
    notices.push(line);
  }
}

function keyOf({ model, baseUrl }: ContextModel): string {
  return `${model}@${baseUrl}`;
}

function raisedLine(threshold: number, window: number): string {
  const count = (tokens: number) => tokens.toLocaleString('en-US');
  return `With gpt-5.5 on Codex the conversation is compressed at ${count(threshold)} of ${count(window)} tokens (${raisedThreshold * 100}%), whatever compression.threshold says. To have it earlier: hermes config set compression.codex_gpt55_autoraise false`;
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

interface Plan {
  /** Tokens that the model takes. */
  readonly window: number;
  /** Tokens to come down to; 0 shortens once. */
  readonly target: number;
  readonly notices: readonly string[];
  readonly wish: CompressWish;
}
