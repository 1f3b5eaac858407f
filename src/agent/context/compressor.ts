/** The default context engine: old tool output is cut, old turns become a summary, recent ones stay as they are. */
import { type HistoryMessage, isSaid } from '../../llm/message.ts';
import type { SideModels } from '../../llm/side-task.ts';
import type { Clock } from '../clock.ts';
import { assemble } from './assemble.ts';
import { previewLine } from './compaction-line.ts';
import { type Boundaries, findBoundaries, keepExchanges } from './boundaries.ts';
import type { CompressRequest, ContextEngine, ContextModel, ContextRequest, Fit } from './engine.ts';
import { TokenEstimate } from './estimate.ts';
import { factsOf } from './facts.ts';
import { Growth, stepsOfRoom } from './growth.ts';
import { cutLongResults, pruneOldResults } from './prune.ts';
import { recentFocus } from './recent-focus.ts';
import { Summariser, summaryBudget } from './summariser.ts';
import { factsSummary, findSummary, framed, withFacts } from './summary-text.ts';
import { type WindowOptions, Windows } from './windows.ts';

/** `compression.*` of the configuration. */
export interface CompressorSettings
  extends Pick<WindowOptions, 'threshold' | 'codexAutoraise' | 'codexAutoraiseNotice'> {
  readonly enabled: boolean;
  /** Without a summary nothing is shortened (`compression.abort_on_summary_failure`); default: a list of facts stands in. */
  readonly abortOnSummaryFailure?: boolean;
  /** Share of the threshold that stays at the end. */
  readonly targetRatio: number;
  readonly protectFirst: number;
  readonly protectLast: number;
}

export interface CompressorOptions extends Pick<WindowOptions, 'isUntold' | 'learn' | 'keepWindow'> {
  readonly settings: CompressorSettings;
  readonly side: SideModels;
  readonly clock: Clock;
  /** Masks secrets before a text goes to the summariser. */
  readonly redact: (text: string) => string;
}

/** From this share of the window on a history is shortened, whatever that buys. */
const forcedShare = 0.85;
/** What is sent stays below this share of the window: estimates are off, and the answer needs room. */
const maxShare = 0.9;
/** What one result may take up of the window, as in the original: three of them, the prompt and an answer fit. */
const maxResultShare = 0.15;
const charsPerToken = 4;
/** What the protected start may take up of the window. */
const maxHeadShare = 0.25;

/** A history with what was done to it. */
interface Shorter {
  readonly history: readonly HistoryMessage[];
  readonly by: 'summary' | 'facts' | 'pruned';
}

/** What one compaction works towards; all figures are tokens. */
interface Plan {
  readonly window: number;
  /** To come down to; undefined: as far as it goes. */
  readonly target: number | undefined;
  readonly wanted: CompressRequest;
  /** A refusal has just shown the window to be this small: a request that fits it is worth another try. */
  readonly isNews?: boolean;
}

/**
 * Cuts old tool output where that is enough, and otherwise has a model summarise what stands between the protected start
 * and the recent messages. Both are done only when they make room for ten more steps, because each costs the provider's
 * cache of the conversation; what that means is measured in `test/agent/compaction-room.test.ts`.
 */
export class Compressor implements ContextEngine {
  readonly name = 'compressor';
  readonly #options: CompressorOptions;
  readonly #estimate = new TokenEstimate();
  readonly #growth = new Growth();
  readonly #windows: Windows;
  readonly #summariser: Summariser;
  /** Real tokens per estimated one, as the provider's figures say. */
  #ratio = 1;
  #estimatedLast = 0;
  #seenPromptTokens: number | undefined;
  readonly #announced = new Set<string>();

  constructor(options: CompressorOptions) {
    this.#options = options;
    const { isUntold, learn, keepWindow } = options;
    this.#windows = new Windows({
      ...options.settings,
      ...(isUntold === undefined ? {} : { isUntold }),
      ...(learn === undefined ? {} : { learn }),
      ...(keepWindow === undefined ? {} : { keepWindow }),
    });
    this.#summariser = new Summariser(options);
  }

  thresholdTokens(model: ContextModel): number | undefined {
    if (!this.#options.settings.enabled) return undefined;
    return this.#windows.threshold(model, this.#windows.of(model));
  }

  maxResultChars(model: ContextModel): number | undefined {
    if (!this.#options.settings.enabled) return undefined;
    return Math.floor(this.#windows.of(model) * charsPerToken * maxResultShare);
  }

  async answered(model: ContextModel): Promise<void> {
    await this.#windows.proven(model);
  }

  async fit(request: ContextRequest, signal: AbortSignal): Promise<Fit> {
    this.#calibrate(request);
    const tokens = this.#tokens(request.history, request);
    this.#growth.note(tokens / this.#ratio);
    const known = this.#windows.of(request);
    const window = request.overflow ? await this.#windows.afterOverflow(request, tokens) : known;
    const threshold = this.#windows.threshold(request, window);
    const notices: string[] = [];
    if (this.#options.settings.enabled) {
      const raised = await this.#windows.raisedLine(request, threshold, window);
      if (raised !== undefined) notices.push(raised);
    }
    if (this.#newestIsTooLarge(request, window)) return { history: request.history, fits: false, notices };
    const plan = this.#planFor(request, { tokens, window, threshold, isNews: window < known });
    if (plan === undefined) return { ...this.#asItIs(request, tokens), notices };
    const fit = await this.#shorten(request, plan, signal);
    return { ...fit, notices: [...notices, ...fit.notices] };
  }

  async compress(request: ContextRequest, wanted: CompressRequest, signal: AbortSignal): Promise<Fit> {
    const focus = wanted.focus ?? recentFocus(request.history);
    const plan = {
      window: this.#windows.of(request),
      target: undefined,
      wanted: { ...wanted, ...(focus && { focus }) },
    };
    const fit = wanted.preview === true ? this.#preview(request, plan) : await this.#compress(request, plan, signal);
    if (fit.compaction !== undefined || fit.notices.length > 0) return fit;
    return { ...fit, notices: ['There is nothing to compress yet: the conversation is short.'] };
  }

  async #compress(request: ContextRequest, plan: Plan, signal: AbortSignal): Promise<Fit> {
    this.#summariser.forgive();
    return await this.#shorten(request, plan, signal);
  }

  #preview(request: ContextRequest, plan: Plan): Fit {
    const { history } = request;
    const whole = request.repaired();
    const boundaries = this.#boundaries(whole, plan, request);
    const tokens = this.#tokens(whole, request);
    const notices = boundaries === undefined ? [] : [previewLine(boundaries, whole.length, tokens)];
    return { history, fits: true, notices };
  }

  /**
   * Undefined while the history may stay as it is. Past the threshold it is shortened as soon as that makes room for ten
   * steps more; until then it grows on, up to the point where it must be shortened anyway.
   */
  #planFor(
    request: ContextRequest,
    {
      tokens,
      window,
      threshold,
      isNews,
    }: { readonly tokens: number; readonly window: number; readonly threshold: number; readonly isNews: boolean },
  ): Plan | undefined {
    const step = this.#stepTokens(request.history);
    // After a refusal the window is a guess: what is sent next must be clearly smaller than what was refused.
    if (request.overflow) return { window, target: Math.min(threshold, tokens * 0.7), wanted: {}, isNews };
    if (!this.#options.settings.enabled || tokens < threshold) return undefined;
    const limit = Math.max(threshold, Math.min(window * forcedShare, tokens));
    const target = limit - stepsOfRoom * step;
    const least = this.#leastTokens(request, window);
    if (least <= target) return { window, target, wanted: {} };
    return tokens < window * forcedShare
      ? undefined
      : { window, target: Math.min(least, window * forcedShare * 0.5), wanted: {} };
  }

  /** Nothing that is shortened before a message makes room for one that alone is more than the window. */
  #newestIsTooLarge(request: ContextRequest, window: number): boolean {
    if (!request.overflow && !this.#options.settings.enabled) return false;
    const newest = request.history.at(-1);
    return newest?.role === 'user' && this.#tokens([newest], request) >= window;
  }

  /** Tokens of the request if as little as possible stayed: prompt, tools, head, a summary and the last few messages. */
  #leastTokens(request: ContextRequest, window: number): number {
    const { history } = request;
    const boundaries = this.#boundaries(history, { window, target: 0, wanted: {} }, request);
    if (boundaries === undefined) return Number.POSITIVE_INFINITY;
    const kept = [...history.slice(0, boundaries.head), ...history.slice(boundaries.tail)];
    const middle = this.#estimate.history(history.slice(boundaries.head, boundaries.tail));
    return this.#tokens(kept, request) + summaryBudget(middle, window);
  }

  #asItIs(request: ContextRequest, tokens: number): Fit {
    this.#estimatedLast = tokens / this.#ratio;
    return { history: request.history, fits: true, notices: [] };
  }

  async #shorten(request: ContextRequest, plan: Plan, signal: AbortSignal): Promise<Fit> {
    const before = this.#tokens(request.history, request);
    if ((await request.compactions?.claim()) === false) return this.#leftToAnother(request, plan, before);
    const history = request.repaired();
    const notices: string[] = [];
    const pruned = this.#pruned(history, request, plan);
    const shorter = pruned ?? (await this.#summarised(history, request, { plan, notices }, signal));
    if (shorter === 'stopped') {
      this.#estimatedLast = before / this.#ratio;
      return { history: request.history, fits: before < plan.window && !request.overflow, notices };
    }
    // What a person wants kept stays whole; the next request shortens more if it must.
    const fitted =
      plan.wanted.keepExchanges === undefined
        ? this.#cutWhatIsLeft(shorter?.history ?? history, request, plan)
        : undefined;
    const result = fitted ?? shorter?.history ?? history;
    const after = this.#tokens(result, request);
    if (after >= before) return this.#unchanged(request, plan, before);
    this.#estimatedLast = after / this.#ratio;
    this.#growth.shortened(this.#estimatedLast);
    this.#seenPromptTokens = request.lastPromptTokens;
    return {
      history: result,
      fits: after < plan.window,
      notices,
      compaction: {
        tokensBefore: Math.round(before),
        tokensAfter: Math.round(after),
        messagesBefore: request.history.length,
        messagesAfter: result.length,
        by: shorter?.by ?? 'pruned',
      },
    };
  }

  #leftToAnother({ history, overflow }: ContextRequest, plan: Plan, tokens: number): Fit {
    const notices: string[] = [];
    this.#announce(notices, 'Another program is shortening this conversation; here it stays as it is meanwhile.');
    return { history, fits: tokens < plan.window && !overflow, notices };
  }

  /** Nothing was gained, so nothing is done. */
  #unchanged(request: ContextRequest, plan: Plan, tokens: number): Fit {
    this.#estimatedLast = tokens / this.#ratio;
    const notices: string[] = [];
    const isWorthATry = !request.overflow || plan.isNews === true;
    if (plan.target !== undefined && !(request.overflow && isWorthATry)) {
      const line = 'The conversation is long and cannot be shortened much further; /compress or /new help.';
      this.#announce(notices, line);
    }
    return { history: request.history, fits: tokens < plan.window && isWorthATry, notices };
  }

  /** Old tool output cut, if that alone is enough. */
  #pruned(history: readonly HistoryMessage[], request: ContextRequest, plan: Plan): Shorter | undefined {
    if (plan.target === undefined) return undefined;
    const boundaries = this.#boundaries(history, plan, request);
    if (boundaries === undefined) return undefined;
    const shorter = pruneOldResults(history, boundaries.tail);
    return this.#tokens(shorter, request) <= plan.target ? { history: shorter, by: 'pruned' } : undefined;
  }

  async #summarised(
    history: readonly HistoryMessage[],
    request: ContextRequest,
    { plan, notices }: { readonly plan: Plan; readonly notices: string[] },
    signal: AbortSignal,
  ): Promise<Shorter | 'stopped' | undefined> {
    const boundaries = this.#boundaries(history, plan, request);
    if (boundaries === undefined || !this.#isWorthIt(history, boundaries, plan)) return undefined;
    const { head, tail } = boundaries;
    const replaced = history.slice(head, tail);
    const previous = findSummary(history.slice(0, tail));
    const facts = factsOf(replaced);
    const { compactions } = request;
    const task = { turns: replaced, previous, focus: plan.wanted.focus, window: plan.window, compactions };
    const weigh = (message: HistoryMessage) => this.#estimate.message(message);
    const summary = await this.#summariser.summarise({ ...task, weigh }, signal);
    signal.throwIfAborted();
    if ('problem' in summary && this.#options.settings.abortOnSummaryFailure === true) {
      const line = `The conversation stays as it is, because no summary could be made (${summary.problem}): compression.abort_on_summary_failure is on. /compress tries again, /new begins a new one.`;
      if (plan.target === undefined) notices.push(line);
      else this.#announce(notices, line);
      return 'stopped';
    }
    if ('problem' in summary) {
      notices.push(
        `Earlier turns were replaced by a list of facts, because no summary could be made (${summary.problem}). The full conversation is kept on disk.`,
      );
    }
    const body = 'body' in summary ? summary.body : factsSummary(facts, previous, request.sessionId);
    const hasFirst = history.slice(0, head).some(isSaid);
    const text = framed(withFacts(body, facts, previous, hasFirst));
    return {
      history: assemble({ head: history.slice(0, head), replaced, summary: text, tail: history.slice(tail) }),
      by: 'body' in summary ? 'summary' : 'facts',
    };
  }

  #boundaries(history: readonly HistoryMessage[], plan: Plan, request: ContextRequest): Boundaries | undefined {
    const { protectLast, targetRatio, threshold } = this.#options.settings;
    const protectFirst = this.#headCount(history, plan.window);
    if (plan.wanted.keepExchanges !== undefined) return keepExchanges(history, plan.wanted.keepExchanges, protectFirst);
    const weigh = (message: HistoryMessage) => this.#estimate.message(message) * this.#ratio;
    const fixed =
      this.#tokens(history.slice(0, protectFirst), request) +
      summaryBudget(this.#estimate.history(history), plan.window);
    const room = plan.target === undefined ? Number.POSITIVE_INFINITY : Math.max(0, plan.target - fixed);
    const usualTokens = plan.window * threshold * targetRatio;
    return findBoundaries(history, { protectFirst, protectLast, usualTokens, tailTokens: room, weigh });
  }

  /** How many of the first messages are protected: fewer than configured where they would fill the window for ever. */
  #headCount(history: readonly HistoryMessage[], window: number): number {
    let left = (window * maxHeadShare) / this.#ratio;
    const tooMuch = history
      .slice(0, this.#options.settings.protectFirst)
      .findIndex((message) => (left -= this.#estimate.message(message)) < 0);
    return tooMuch === -1 ? this.#options.settings.protectFirst : tooMuch;
  }

  /** A summary of little costs a request and saves nothing. */
  #isWorthIt(history: readonly HistoryMessage[], { head, tail }: Boundaries, { target }: Plan): boolean {
    if (target === undefined) return true;
    const middle = this.#estimate.history(history.slice(head, tail));
    return middle > Math.max(500, 0.05 * this.#estimate.history(history));
  }

  /** What must stay may still be too much: then its longest tool results are cut. */
  #cutWhatIsLeft(history: readonly HistoryMessage[], request: ContextRequest, plan: Plan): readonly HistoryMessage[] {
    const max = plan.window * maxShare;
    const limit = plan.target === undefined ? max : Math.min(max, Math.max(plan.target, plan.window * 0.5));
    const excess = (this.#tokens(history, request) - limit) / this.#ratio;
    return excess > 0 ? cutLongResults(history, excess) : history;
  }

  #stepTokens(history: readonly HistoryMessage[]): number {
    return this.#growth.perStep(history, (message) => this.#estimate.message(message)) * this.#ratio;
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

  #announce(notices: string[], line: string): void {
    if (this.#announced.has(line)) return;
    this.#announced.add(line);
    notices.push(line);
  }
}
