/** An agent: the conversation's state around the turn loop. */
import type { AnnouncementSetting } from './announcement.ts';
import { randomUUID } from 'node:crypto';
import { errorMessage, UserError } from '../lib/errors.ts';
import { type Log, noLog } from '../lib/log.ts';
import type { Content, HistoryMessage } from '../llm/message.ts';
import type { ModelRequest, ModelRoute } from '../llm/protocol.ts';
import { mergeSources, type Source } from '../llm/source.ts';
import type { Agent, RunOptions, TurnInput, WayBack } from './agent.ts';
import { StepBudget } from './budget.ts';
import { type Clock, systemClock } from './clock.ts';
import { type CompressRequest, type ContextEngine, type Fit, wholeHistory } from './context/engine.ts';
import { ConversationLog } from './conversation-log.ts';
import { type ConfiguredSettings, ConversationSettings } from './conversation-settings.ts';
import type { AgentEvent, TokenTotals, TurnResult } from './events.ts';
import { FileMutations } from './file-mutations.ts';
import { contextRequest } from './fit-history.ts';
import { cleanContent, cleanText, stripBudgetWarnings } from './history.ts';
import { defaultLoopGuard, LoopGuard, type LoopGuardSettings } from './loop-guard.ts';
import { type RetryLimits, RouteMemory } from './model-call.ts';
import { RouteLadder } from './route-ladder.ts';
import type { CallDeadlines, ToolPorts } from './run-tool-calls.ts';
import { type Spending, unlimited } from './spending.ts';
import type { InnerResult, Tool } from './tool.ts';
import type { BesideCall } from './conversation-door.ts';
import { callBeside } from './call-beside.ts';
import { createToolbox, nextToolbox, type Toolbox } from './toolbox.ts';
import type { Transcript } from './transcript.ts';
import { runTurn, type Turn, type TurnOutcome } from './turn.ts';
import { type ConversationHooks, TurnHooks, unhooked } from './turn-hooks.ts';
import type { EphemeralLayers } from './turn-request.ts';
import { trusting, type Verifier } from './verifier.ts';

export interface AgentOptions<Services> {
  readonly transcript: Transcript;
  /** What was said before; default: nothing. */
  readonly history?: readonly HistoryMessage[];
  readonly models: ModelPorts;
  readonly prompt: PromptPorts;
  readonly tools: ToolPorts<Services> & {
    /** Asked before each turn: tools may come and go between turns. */
    list(): readonly Tool<Services>[];
    /** Waited for before `list` is asked: tools of servers may be on their way. Must settle soon, and must not reject. */
    ready?(signal: AbortSignal): Promise<void>;
    /** Goes on with the order and the bytes of this one; default: made from `list` with the first turn. */
    readonly toolbox?: Toolbox<Services>;
  };
  /** Default: the history is sent whole. */
  readonly contextEngine?: ContextEngine;
  readonly limits?: TurnLimits;
  /** Default: no caps. */
  readonly spending?: Spending;
  /** Default: every answer is taken as it is. */
  readonly verifier?: Verifier;
  /** Default: nobody listens. */
  readonly hooks?: ConversationHooks;
  /** Told of every answered turn: the whole history, and the messages of the turn. Must not throw or wait. */
  afterTurn?(history: readonly HistoryMessage[], turn: readonly HistoryMessage[]): void;
  /** Gets a line for each turn. Default: none is written. */
  readonly log?: Log;
  readonly clock?: Clock;
  /** 0 to 1; for the jitter of retries. */
  random?(): number;
}

export interface ModelPorts extends ConfiguredSettings {
  readonly route: ModelRoute;
  /** Tried in order when the route fails, each at most once a turn; resolved only then. */
  readonly fallbacks?: readonly (() => Promise<ModelRoute>)[];
  /** Life of the cached prefix where providers want it marked; absent = no marks. */
  readonly cacheTtl?: ModelRequest['cacheTtl'];
  /** The conversation whose cached prefix the requests share; default: the transcript's session. */
  readonly cacheKey?: string;
  /** Pictures are sent to models too that are known not to see. */
  readonly showsBlind?: boolean;
  /** Default: 3 and 3. */
  readonly retries?: RetryLimits;
}

export interface PromptPorts {
  /** Built on the first turn and kept byte for byte. */
  system(): Promise<string>;
  /** Asked for each request; default: nothing. */
  ephemeral?(): EphemeralLayers;
}

export interface TurnLimits extends CallDeadlines {
  /** Model requests per turn, default 90 (`agent.max_turns`). */
  readonly maxSteps?: number;
  /** `delegation.max_concurrent_children`, default 3. */
  readonly maxDelegations?: number;
  /** `display.file_mutation_verifier`, default true. */
  readonly verifyFileMutations?: boolean;
  /** `agent.intent_ack_continuation`, default auto. */
  readonly announcements?: AnnouncementSetting;
  /** `tool_loop_guardrails`. */
  readonly loopGuard?: LoopGuardSettings;
}

/** See {@link Agent} for what it promises. */
export class Conversation<Services> implements Agent {
  readonly settings: ConversationSettings;
  readonly #options: AgentOptions<Services>;
  readonly #log: ConversationLog;
  readonly #memory = new RouteMemory();
  #history: readonly HistoryMessage[];
  #route: ModelRoute;
  #toolbox: Toolbox<Services> | undefined;
  #running: AbortController | undefined;
  #interruptMessage: string | undefined;
  #steering: Steering[] = [];
  #lateSteering: Steering[] = [];
  /** Calls of tools that no turn has made; the next turn waits for them. */
  #beside: Promise<unknown> = Promise.resolve();
  /** For the model, before the next message of the user. */
  #pendingNote: string | undefined;
  /** The model that comes back after the next turn. */
  #after: (WayBack & { readonly route: ModelRoute }) | undefined;

  constructor(options: AgentOptions<Services>) {
    this.#options = options;
    this.#history = stripBudgetWarnings(options.history ?? []);
    this.#log = new ConversationLog(options.transcript, this.#history, options.spending ?? unlimited);
    this.#route = options.models.route;
    this.#toolbox = options.tools.toolbox;
    this.settings = new ConversationSettings(options.models, () => this.#route.model);
  }

  get sessionId(): string {
    return this.#log.sessionId;
  }

  get history(): readonly HistoryMessage[] {
    return this.#history;
  }

  get route(): ModelRoute {
    return this.#route;
  }

  get tokens(): TokenTotals {
    return this.#log.tokens;
  }

  get compactionCount(): number {
    return this.#log.compactionCount;
  }

  /** As the requests carry it; undefined before the first one. */
  get systemPrompt(): string | undefined {
    return this.#log.promptInUse;
  }

  /** Undefined before the first turn. */
  get toolbox(): Toolbox<Services> | undefined {
    return this.#toolbox;
  }

  get busy(): boolean {
    return this.#running !== undefined;
  }

  /** Tokens from which the history is shortened by itself with the model in use; undefined when it never is. */
  get compressesAt(): number | undefined {
    return this.#contextEngine.thresholdTokens(this.route);
  }

  async *run(input: Content | TurnInput, options: RunOptions = {}): AsyncGenerator<AgentEvent, TurnResult> {
    if (this.#running !== undefined) throw new Error('a turn is already under way on this agent');
    const running = new AbortController();
    this.#running = running;
    const abort = (): void => running.abort();
    if (options.signal?.aborted === true) abort();
    options.signal?.addEventListener('abort', abort, { once: true });
    const turnId = randomUUID();
    try {
      yield { type: 'turn_started', turnId, sessionId: this.sessionId };
      const result = yield* this.#turn(turnId, turnInput(input), running.signal);
      this.#record(result);
      if (result.ended === 'completed') this.#options.afterTurn?.(this.history, this.#log.turn);
      yield { type: 'turn_finished', result };
      return result;
    } finally {
      options.signal?.removeEventListener('abort', abort);
      this.#history = this.#log.messages;
      this.#running = undefined;
      this.#interruptMessage = undefined;
      this.#lateSteering.push(...this.#steering.splice(0).filter(({ onRead }) => onRead === undefined));
      if (this.#after !== undefined) this.#goBack(this.#after);
    }
  }

  #takeSteering(): Pick<TurnInput, 'content' | 'sources'> | undefined {
    const taken = this.#steering.splice(0);
    for (const { onRead } of taken) onRead?.();
    return joined(taken);
  }

  /** A note that no turn has told yet is about the model that goes. */
  #goBack({ route, note }: WayBack & { readonly route: ModelRoute }): void {
    this.#route = route;
    this.#after = undefined;
    this.#pendingNote = this.#pendingNote === undefined ? note : undefined;
  }

  async *#turn(turnId: string, input: TurnInput, signal: AbortSignal): AsyncGenerator<AgentEvent, TurnResult> {
    await this.#beside;
    await this.#options.tools.ready?.(signal);
    const turn = this.#prepareTurn(turnId, signal);
    let outcome: TurnOutcome;
    try {
      this.#log.beginTurn(input.stored === true);
      yield* this.#takeNote();
      if (input.stored !== true) yield await this.#log.keep(userMessage(input));
      turn.hooks.answering(this.#log.messages.at(-1));
      outcome = yield* runTurn(turn);
    } catch (error) {
      if (!(error instanceof UserError)) this.#options.log?.error('a turn broke off', error);
      const end = { ended: 'failed', finalResponse: null, error: errorMessage(error) } as const;
      outcome = { end, apiCalls: 0, lastReasoning: undefined };
    }
    this.#history = this.#log.messages;
    await turn.hooks.ended(outcome.end);
    const { provider, model, baseUrl } = turn.models.ladder.current;
    const { end, apiCalls, lastReasoning } = outcome;
    const reasoning = lastReasoning === undefined ? {} : { lastReasoning };
    return { turnId, apiCalls, ...reasoning, provider, model, baseUrl, tokens: this.tokens, ...end };
  }

  #record(result: TurnResult): void {
    const { ended, apiCalls, model, provider } = result;
    const log = (this.#options.log ?? noLog).forSession(this.sessionId);
    log.info(`a turn with ${model} of ${provider}: ${ended} after ${apiCalls} requests`);
    if ('error' in result) log.warning(result.error);
  }

  async *#takeNote(): AsyncGenerator<AgentEvent, void> {
    const note = this.#pendingNote;
    if (note === undefined) return;
    yield await this.#log.keep({ role: 'user', content: note, kind: 'note', sources: [{ from: 'agent' }] });
    this.#pendingNote = undefined;
  }

  #prepareTurn(id: string, signal: AbortSignal): Turn<Services> {
    const { models, prompt, tools, limits = {}, spending = unlimited, verifier = trusting } = this.#options;
    const { clock = systemClock, hooks = unhooked } = this.#options;
    const ladder = new RouteLadder(this.route, models.fallbacks ?? []);
    const list = tools.list();
    this.#toolbox =
      this.#toolbox === undefined
        ? createToolbox(list, tools.services)
        : nextToolbox(this.#toolbox, list, tools.services);
    spending.startTurn();
    verifier.startTurn();
    return {
      id,
      log: this.#log,
      models: {
        ladder,
        memory: this.#memory,
        retries: models.retries ?? { requests: 3, streams: 3 },
        request: {
          systemPrompt: () => prompt.system(),
          ephemeral: () => prompt.ephemeral?.() ?? { system: '', prefill: [] },
          effortFor: (model) => this.settings.effortFor(model),
          cacheTtl: models.cacheTtl,
          priority: this.settings.priority,
          ...(models.cacheKey === undefined ? {} : { cacheKey: models.cacheKey }),
          ...(models.showsBlind === undefined ? {} : { showsBlind: models.showsBlind }),
        },
      },
      tools: {
        toolbox: this.#toolbox,
        ports: tools,
        maxDelegations: limits.maxDelegations ?? 3,
        announcements: limits.announcements ?? 'auto',
        deadlines: limits,
      },
      contextEngine: this.#contextEngine,
      budget: new StepBudget(limits.maxSteps ?? 90),
      spending,
      watch: {
        mutations: new FileMutations(limits.verifyFileMutations ?? true),
        guard: new LoopGuard(limits.loopGuard ?? defaultLoopGuard),
        verifier,
      },
      hooks: new TurnHooks(hooks, {
        id,
        log: this.#log,
        route: () => ladder.current,
        clock,
        signal,
      }),
      clock,
      signal,
      random: () => this.#options.random?.() ?? Math.random(),
      interruptMessage: () => this.#interruptMessage,
      takeSteering: () => this.#takeSteering(),
    };
  }

  async runConversation(
    input: Content | TurnInput,
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
    if (result.ended === 'interrupted') throw new UserError('The turn was interrupted.');
    if (result.finalResponse !== null) return result.finalResponse;
    throw new UserError('error' in result ? result.error : 'The model gave no answer.');
  }

  interrupt(message?: string): void {
    if (this.#running === undefined) return;
    if (message !== undefined) {
      this.#interruptMessage = this.#interruptMessage === undefined ? message : `${this.#interruptMessage}\n${message}`;
    }
    this.#running.abort();
  }

  steer(text: string, sources?: readonly Source[], onRead?: () => void): boolean {
    if (this.#running === undefined) return false;
    this.#steering.push({ text: cleanText(text), sources, onRead });
    return true;
  }

  takeLateSteering(): TurnInput | undefined {
    return joined(this.#lateSteering.splice(0));
  }

  leaveNote(text: string): void {
    this.#pendingNote = this.#pendingNote === undefined ? text : `${this.#pendingNote}\n\n${text}`;
  }

  switchRoute(route: ModelRoute, note?: string, back?: WayBack): boolean {
    this.#requireIdle('switch the model');
    this.#after = back === undefined ? undefined : { route: this.#after?.route ?? this.#route, note: back.note };
    this.#route = route;
    if (note !== undefined && this.#history.length > 0) this.#pendingNote = note;
    const { compressesAt } = this;
    return compressesAt !== undefined && this.tokens.last_prompt_tokens >= compressesAt;
  }

  replaceHistory(history: readonly HistoryMessage[]): void {
    this.#requireIdle('change the history');
    this.#history = stripBudgetWarnings(history);
    this.#log.replace(this.#history);
  }

  async compress(request: CompressRequest = {}, signal: AbortSignal = new AbortController().signal): Promise<Fit> {
    this.#requireIdle('compress the history');
    const running = new AbortController();
    this.#running = running;
    try {
      const either = AbortSignal.any([running.signal, signal]);
      const turn = this.#prepareTurn(randomUUID(), either);
      const asked = await contextRequest(turn, turn.tools.toolbox.schemas);
      const fit = await turn.contextEngine.compress(asked, request, either);
      const { fits, compaction } = fit;
      if (compaction === undefined) return fit;
      const notices = [...fit.notices];
      const storing = this.#log.compact(fit.history, compaction.tokensAfter);
      for (;;) {
        const step = await storing.next();
        if (step.done === true) {
          return { history: this.#log.messages, fits, notices, ...(step.value ? { compaction } : {}) };
        }
        if (step.value.type === 'status') notices.push(step.value.message);
      }
    } finally {
      await this.#log.compactions?.release();
      this.#history = this.#log.messages;
      this.#running = undefined;
    }
  }

  /** See {@link ConversationDoor}; while a turn runs the result says that it has to wait. */
  async callTool(call: BesideCall): Promise<InnerResult> {
    const text = (error: string): InnerResult => ({ text: JSON.stringify({ error }), sources: [] });
    if (this.#running !== undefined) return text('a turn is under way; a tool can be called when it is over');
    const before = this.#beside;
    const called = (async () => {
      await before;
      const { tools, hooks, clock = systemClock } = this.#options;
      if (this.#toolbox === undefined) await tools.ready?.(call.signal);
      const toolbox = this.#toolbox ?? createToolbox(tools.list(), tools.services);
      return await callBeside(call, { ports: tools, toolbox, sessionId: this.sessionId, clock, hooks });
    })();
    this.#beside = called.catch(() => undefined);
    return await called;
  }

  get #contextEngine(): ContextEngine {
    return this.#options.contextEngine ?? wholeHistory;
  }

  #requireIdle(action: string): void {
    if (this.busy)
      throw new UserError(`Cannot ${action} while a turn runs.`, { hint: 'Wait for it, or stop it first.' });
  }
}

const users: readonly Source[] = [{ from: 'user' }];

interface Steering {
  readonly text: string;
  readonly sources: readonly Source[] | undefined;
  readonly onRead: (() => void) | undefined;
}

/** All that was said as one text; undefined when nothing was. */
function joined(steering: readonly Steering[]): Pick<TurnInput, 'content' | 'sources'> | undefined {
  const content = steering.map(({ text }) => text).join('\n');
  if (content === '') return undefined;
  if (steering.every(({ sources }) => sources === undefined)) return { content };
  return { content, sources: mergeSources(...steering.map(({ sources }) => sources ?? users)) };
}

function userMessage({ content, sent, kind = 'said', sources, platformMessageId }: TurnInput): HistoryMessage {
  return {
    role: 'user',
    content: cleanContent(content),
    ...(sent === undefined || typeof content !== 'string' ? {} : { sent: cleanText(sent) }),
    ...(kind === 'said' ? {} : { kind }),
    ...(sources === undefined ? {} : { sources }),
    ...(platformMessageId === undefined ? {} : { platformMessageId }),
  };
}

function turnInput(input: Content | TurnInput): TurnInput {
  return typeof input === 'string' || !('content' in input) ? { content: input } : input;
}
