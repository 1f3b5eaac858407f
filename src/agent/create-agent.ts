/** Builds an agent: the conversation's state around the turn loop. */
import { randomUUID } from 'node:crypto';
import { errorMessage, UserError } from '../lib/errors.ts';
import type { Content, HistoryMessage } from '../llm/message.ts';
import type { ModelRoute, ReasoningEffort } from '../llm/protocol.ts';
import type { Agent, RunOptions } from './agent.ts';
import { createBudget } from './budget.ts';
import { type Clock, systemClock } from './clock.ts';
import { type Compaction, type CompressWish, type ContextEngine, type Fit, wholeHistory } from './context/engine.ts';
import type { AgentEvent, TokenTotals, TurnResult } from './events.ts';
import { createCutPromptWatch } from './cut-prompt.ts';
import { createFileMutationLedger } from './file-mutations.ts';
import { cleanContent, stripBudgetWarnings } from './history.ts';
import { type Human, headless } from './human.ts';
import type { EphemeralLayers } from './model-call.ts';
import type { Policy } from './policy.ts';
import { createRepeatedFailures } from './repeated-failures.ts';
import { createRouteLadder } from './route-ladder.ts';
import type { FinishedCall } from './run-tool-calls.ts';
import { type Spending, unlimited } from './spending.ts';
import { addUsage, noTokens, promptTokens } from './token-totals.ts';
import type { Tool } from './tool.ts';
import { createToolbox, type Toolbox } from './toolbox.ts';
import type { Transcript } from './transcript.ts';
import { runTurn, type Turn, type TurnEnd } from './turn.ts';

export interface AgentOptions<Services> {
  readonly sessionId: string;
  /** Isolates sandboxes; default: a new UUID. */
  readonly taskId?: string;
  readonly route: ModelRoute;
  /** Tried in order when the route fails, each at most once a turn; resolved only then. */
  readonly fallbacks?: readonly (() => Promise<ModelRoute>)[];
  /** Built on the first turn and kept byte for byte. */
  systemPrompt(): Promise<string>;
  /** Asked for each request; default: nothing. */
  ephemeral?(): EphemeralLayers;
  readonly history?: readonly HistoryMessage[];
  readonly tools: readonly Tool<Services>[];
  readonly services: Services;
  readonly policy: Policy;
  readonly transcript: Transcript;
  /** Text to append to the result of a call that ran, for the model only. Must not reject. */
  toolAddition?(call: FinishedCall): Promise<string | undefined>;
  /** Default: nobody is there, every question is answered with no. */
  readonly human?: Human;
  readonly contextEngine?: ContextEngine;
  readonly compaction?: CompactionHooks;
  /** Told of every answered turn: the whole history, and the messages of the turn. Must not throw or wait. */
  afterTurn?(history: readonly HistoryMessage[], turn: readonly HistoryMessage[]): void;
  /** Model requests per turn, default 90 (`agent.max_turns`). */
  readonly maxSteps?: number;
  /** Retries per provider, default 3 (`agent.api_max_retries`). */
  readonly maxRetries?: number;
  /** Default 3 (`HERMES_STREAM_RETRIES`). */
  readonly streamRetries?: number;
  /** `delegation.max_concurrent_children`, default 3. */
  readonly maxDelegations?: number;
  /** `display.file_mutation_verifier`, default true. */
  readonly verifyFileMutations?: boolean;
  readonly reasoningEffort?: ReasoningEffort;
  /** Life of the cached prefix where providers want it marked; absent = no marks. */
  readonly cacheTtl?: '5m' | '1h';
  /** Default: no caps. */
  readonly spending?: Spending;
  readonly clock?: Clock;
  /** 0 to 1; for the jitter of retries. */
  random?(): number;
}

/** What the rest of the program does around a compaction. */
export interface CompactionHooks {
  /** The last chance to save what matters from the messages that go. Must not reject. */
  before?(history: readonly HistoryMessage[], signal: AbortSignal): Promise<void>;
  /**
   * The shortened history is about to be used. Keeps the old one and gives the new one a place: what to go on with.
   * Must not reject.
   */
  after?(history: readonly HistoryMessage[]): Promise<{
    readonly history: readonly HistoryMessage[];
    readonly systemPrompt: string;
    readonly sessionId: string;
  }>;
}

export function createAgent<Services>(options: AgentOptions<Services>): Agent {
  return new Conversation(options);
}

class Conversation<Services> implements Agent {
  sessionId: string;
  history: readonly HistoryMessage[];
  route: ModelRoute;
  tokens: TokenTotals = noTokens;
  reasoningEffort: ReasoningEffort | undefined;
  priority = false;
  readonly #options: AgentOptions<Services>;
  readonly #taskId: string;
  readonly #noStreaming = new Set<string>();
  readonly #cutPrompts = createCutPromptWatch();
  #toolbox: Toolbox<Services> | undefined;
  #systemPrompt: string | undefined;
  #running: AbortController | undefined;
  #interruptMessage: string | undefined;
  /** Of the turn that runs or ran last, also those that were compressed away. */
  #turnMessages: HistoryMessage[] = [];
  #steering: string[] = [];
  #queued: string[] = [];

  constructor(options: AgentOptions<Services>) {
    this.#options = options;
    this.sessionId = options.sessionId;
    this.history = stripBudgetWarnings(options.history ?? []);
    this.route = options.route;
    this.reasoningEffort = options.reasoningEffort;
    this.#taskId = options.taskId ?? randomUUID();
  }

  get busy(): boolean {
    return this.#running !== undefined;
  }

  get compressesAt(): number | undefined {
    return (this.#options.contextEngine ?? wholeHistory).thresholdTokens(this.route);
  }

  async *run(input: Content, options: RunOptions = {}): AsyncGenerator<AgentEvent, TurnResult> {
    if (this.#running !== undefined) throw new Error('a turn is already under way on this agent');
    const running = new AbortController();
    this.#running = running;
    const abort = (): void => running.abort();
    if (options.signal?.aborted === true) abort();
    options.signal?.addEventListener('abort', abort, { once: true });
    try {
      yield { type: 'turn_started', sessionId: this.sessionId };
      const end = yield* this.#turn(cleanContent(input), options, running.signal);
      const result = this.#result(end);
      if (result.completed) this.#options.afterTurn?.(this.history, this.#turnMessages);
      yield { type: 'turn_finished', result };
      return result;
    } finally {
      options.signal?.removeEventListener('abort', abort);
      this.#running = undefined;
      this.#interruptMessage = undefined;
      this.#queued.push(...this.#steering.splice(0));
    }
  }

  async #turnContext(signal: AbortSignal, history: HistoryMessage[]): Promise<Turn<Services>> {
    const options = this.#options;
    this.#systemPrompt ??= await options.systemPrompt();
    this.#toolbox ??= createToolbox(options.tools, options.services);
    const spending = options.spending ?? unlimited;
    spending.startTurn();
    const ladder = createRouteLadder(this.route, options.fallbacks ?? []);
    const current = { prompt: () => this.#systemPrompt ?? '', sessionId: () => this.sessionId };
    return {
      history,
      get systemPrompt() {
        return current.prompt();
      },
      ephemeral: () => options.ephemeral?.() ?? { system: '', prefill: [] },
      toolbox: this.#toolbox,
      ladder,
      budget: createBudget(options.maxSteps ?? 90),
      contextEngine: options.contextEngine ?? wholeHistory,
      mutations:
        options.verifyFileMutations === false
          ? { note: () => undefined, footer: () => '' }
          : createFileMutationLedger(),
      failures: createRepeatedFailures(),
      clock: options.clock ?? systemClock,
      signal,
      limits: {
        maxRetries: options.maxRetries ?? 3,
        streamRetries: options.streamRetries ?? 3,
        maxDelegations: options.maxDelegations ?? 3,
      },
      noStreaming: this.#noStreaming,
      cutPrompts: this.#cutPrompts,
      reasoningEffort: this.reasoningEffort,
      cacheTtl: options.cacheTtl,
      priority: this.priority,
      spending,
      toolRun: {
        policy: options.policy,
        human: options.human ?? headless,
        services: options.services,
        get sessionId() {
          return current.sessionId();
        },
        taskId: this.#taskId,
        interruptMessage: () => this.#interruptMessage,
        toolAddition: async (call) => await options.toolAddition?.(call),
      },
      random: () => options.random?.() ?? Math.random(),
      keep: async (message) => {
        await options.transcript.append(message);
        history.push(message);
        this.#turnMessages.push(message);
      },
      beforeShortening: async () => {
        await options.compaction?.before?.(history, signal);
      },
      compacted: (shorter, compaction) => this.#compacted(history, shorter, compaction),
      dropLast: async () => {
        await options.transcript.dropLast();
        history.pop();
      },
      recordUsage: async (usage, on) => {
        this.tokens = addUsage(this.tokens, usage);
        await options.transcript.recordUsage(usage, on);
        await spending.record(usage, on);
      },
      notePrompt: (usage) => {
        this.tokens = { ...this.tokens, last_prompt_tokens: promptTokens(usage) };
      },
      lastPromptTokens: () => this.tokens.last_prompt_tokens || undefined,
      takeSteering: () => {
        const text = this.#steering.splice(0).join('\n');
        return text === '' ? undefined : text;
      },
    };
  }

  /** The history is the turn's own copy until it ends, whichever way it ends. */
  async *#turn(
    input: Content,
    options: RunOptions,
    signal: AbortSignal,
  ): AsyncGenerator<AgentEvent, TurnEnd & { route: ModelRoute }> {
    const history = [...this.history];
    let route = this.route;
    try {
      const turn = await this.#turnContext(signal, history);
      await this.#options.transcript.append({ role: 'user', content: options.persistUserMessage ?? input });
      history.push({ role: 'user', content: input });
      this.#turnMessages = [{ role: 'user', content: input }];
      const end = yield* runTurn(turn);
      route = turn.ladder.current;
      return { ...end, route };
    } catch (error) {
      return { finalResponse: null, apiCalls: 0, ended: 'failed', error: errorMessage(error), route };
    } finally {
      this.history = history;
    }
  }

  #result(end: TurnEnd & { route: ModelRoute }): TurnResult {
    const interrupted = end.ended === 'interrupted';
    return {
      finalResponse: end.finalResponse,
      apiCalls: end.apiCalls,
      completed: end.ended === 'completed' && end.finalResponse !== null,
      partial: end.ended === 'partial',
      failed: end.ended === 'failed',
      interrupted,
      ...(end.error === undefined ? {} : { error: end.error }),
      ...(interrupted && this.#interruptMessage !== undefined ? { interruptMessage: this.#interruptMessage } : {}),
      ...(end.lastReasoning === undefined ? {} : { lastReasoning: end.lastReasoning }),
      provider: end.route.provider,
      model: end.route.model,
      baseUrl: end.route.baseUrl,
      tokens: this.tokens,
    };
  }

  async runConversation(
    input: Content,
    options: RunOptions & { onDelta?: (text: string) => void } = {},
  ): Promise<TurnResult> {
    const events = this.run(input, options);
    for (;;) {
      const next = await events.next();
      if (next.done === true) return next.value;
      if (next.value.type === 'text_delta') options.onDelta?.(next.value.text);
    }
  }

  async chat(text: string, options: RunOptions & { onDelta?: (text: string) => void } = {}): Promise<string> {
    const result = await this.runConversation(text, options);
    if (result.finalResponse !== null) return result.finalResponse;
    throw new UserError(
      result.error ?? (result.interrupted ? 'The turn was interrupted.' : 'The model gave no answer.'),
    );
  }

  interrupt(message?: string): void {
    if (this.#running === undefined) return;
    if (message !== undefined) {
      this.#interruptMessage = this.#interruptMessage === undefined ? message : `${this.#interruptMessage}\n${message}`;
    }
    this.#running.abort();
  }

  steer(text: string): boolean {
    if (this.#running === undefined) return false;
    this.#steering.push(text);
    return true;
  }

  queue(text: string): void {
    this.#queued.push(text);
  }

  takeQueued(): string | undefined {
    return this.#queued.shift();
  }

  switchRoute(route: ModelRoute): void {
    this.#requireIdle('switch the model');
    this.route = route;
  }

  replaceHistory(history: readonly HistoryMessage[]): void {
    this.#requireIdle('change the history');
    this.history = stripBudgetWarnings(history);
  }

  async compress(wish: CompressWish = {}, signal: AbortSignal = new AbortController().signal): Promise<Fit> {
    this.#requireIdle('compress the history');
    const options = this.#options;
    const running = new AbortController();
    this.#running = running;
    try {
      const either = AbortSignal.any([running.signal, signal]);
      const history = [...this.history];
      const turn = await this.#turnContext(either, history);
      const { contextLength, provider, model, baseUrl } = this.route;
      const fit = await turn.contextEngine.compress(
        {
          history,
          systemPromptChars: turn.systemPrompt.length,
          tools: turn.toolbox.schemas,
          overflow: false,
          provider,
          model,
          baseUrl,
          beforeShortening: async () => await options.compaction?.before?.(history, either),
          ...(contextLength === undefined ? {} : { contextLength }),
          ...(this.tokens.last_prompt_tokens === 0 ? {} : { lastPromptTokens: this.tokens.last_prompt_tokens }),
        },
        wish,
        either,
      );
      if (fit.compaction !== undefined) await this.#compacted(history, fit.history, fit.compaction);
      this.history = history;
      return fit;
    } finally {
      this.#running = undefined;
    }
  }

  /** Goes on with a shortened history, under whatever prompt and session belong to it. */
  async #compacted(
    history: HistoryMessage[],
    shorter: readonly HistoryMessage[],
    { tokensAfter }: Compaction,
  ): Promise<void> {
    const next = await this.#options.compaction?.after?.(shorter);
    history.splice(0, history.length, ...(next?.history ?? shorter));
    if (next !== undefined) {
      this.#systemPrompt = next.systemPrompt;
      this.sessionId = next.sessionId;
    }
    // The figure of the old, longer request would have the new one shortened at once.
    this.tokens = { ...this.tokens, last_prompt_tokens: tokensAfter };
  }

  #requireIdle(action: string): void {
    if (this.busy)
      throw new UserError(`Cannot ${action} while a turn runs.`, { hint: 'Wait for it, or stop it first.' });
  }
}
