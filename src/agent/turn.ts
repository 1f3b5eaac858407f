/** The turn loop: one user message until the answer. The only loop there is, whoever a run is for. */
import { errorMessage } from '../lib/errors.ts';
import type { AssistantMessage, ToolMessage } from '../llm/message.ts';
import { ModelError } from '../llm/model-error.ts';
import type { ModelRoute, ToolSchema } from '../llm/protocol.ts';
import { mergeSources, type Source } from '../llm/source.ts';
import type { TurnInput } from './agent.ts';
import { type AnnouncementSetting, goOnNote, isAnnouncement, maxAnnouncements } from './announcement.ts';
import { type Answer, readAnswer } from './answer.ts';
import type { StepBudget } from './budget.ts';
import type { Clock } from './clock.ts';
import type { ContextEngine } from './context/engine.ts';
import type { ConversationLog } from './conversation-log.ts';
import type { AgentEvent, TurnEnd } from './events.ts';
import type { FileMutations } from './file-mutations.ts';
import { fitHistory, setAsideUnsendable } from './fit-history.ts';
import type { LoopGuard } from './loop-guard.ts';
import { nextStep } from './next-step.ts';
import { callModel, type ModelAnswer, type RetryLimits, type RouteMemory } from './model-call.ts';
import type { RouteLadder } from './route-ladder.ts';
import { type CallDeadlines, runToolCalls, type ToolPorts } from './run-tool-calls.ts';
import { type Spending, SpendingCapReached } from './spending.ts';
import type { Toolbox } from './toolbox.ts';
import type { TurnHooks } from './turn-hooks.ts';
import { type RequestParts, turnRequest } from './turn-request.ts';
import { TurnState } from './turn-state.ts';
import { unusableAnswer } from './unusable-answer.ts';
import type { Verifier } from './verifier.ts';
import { visibleText } from './visible-text.ts';

/** Everything one turn works with. */
export interface Turn<Services> {
  readonly id: string;
  readonly log: ConversationLog;
  readonly models: TurnModels;
  readonly tools: TurnTools<Services>;
  readonly contextEngine: ContextEngine;
  readonly budget: StepBudget;
  readonly spending: Spending;
  readonly watch: { readonly mutations: FileMutations; readonly guard: LoopGuard; readonly verifier: Verifier };
  readonly hooks: TurnHooks;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** 0 to 1, for jitter. */
  random(): number;
  /** The new user message that caused the interrupt, if one did. */
  interruptMessage(): string | undefined;
  /** What the user said to guide the work since it was last asked. */
  takeSteering(): Pick<TurnInput, 'content' | 'sources'> | undefined;
}

export interface TurnModels {
  readonly ladder: RouteLadder;
  readonly memory: RouteMemory;
  readonly retries: RetryLimits;
  readonly request: RequestParts;
}

export interface TurnTools<Services> {
  readonly toolbox: Toolbox<Services>;
  readonly ports: ToolPorts<Services>;
  /** Calls of tools that delegate, in one message. */
  readonly maxDelegations: number;
  /** When a model that only says what it will do is told to do it. */
  readonly announcements: AnnouncementSetting;
  readonly deadlines: CallDeadlines;
}

/** Runs until there is an answer, an interrupt, a failure, or no budget. The user message is already in the log. */
export async function* runTurn<Services>(turn: Turn<Services>): AsyncGenerator<AgentEvent, TurnOutcome> {
  const state = new TurnState();
  const end = yield* untilEnd(turn, state);
  return { end, apiCalls: state.apiCalls, lastReasoning: state.lastReasoning };
}

/** How the turn ended, with what the loop counted. */
export interface TurnOutcome {
  readonly end: TurnEnd;
  readonly apiCalls: number;
  readonly lastReasoning: string | undefined;
}

async function* untilEnd<Services>(turn: Turn<Services>, state: TurnState): AsyncGenerator<AgentEvent, TurnEnd> {
  try {
    while (!turn.signal.aborted) {
      if (!turn.budget.take()) return yield* outOfSteps(turn, state);
      yield { type: 'step_started', turnId: turn.id, step: turn.budget.used, maxSteps: turn.budget.max };
      const note = state.takeNote();
      const done = yield* askModel(turn, state, turn.tools.toolbox.schemas, note);
      const end = yield* act(turn, state, readAnswer(done, turn.tools.toolbox, turn.tools.maxDelegations));
      if (end !== undefined) return end;
    }
    return yield* brokenOff(turn, state);
  } catch (error) {
    return yield* brokenOff(turn, state, error);
  }
}

async function* askModel<Services>(
  turn: Turn<Services>,
  state: TurnState,
  tools: readonly ToolSchema[],
  note?: string,
): AsyncGenerator<AgentEvent, ModelAnswer> {
  const fits = yield* fitHistory(turn, tools);
  if (!fits) {
    throw new ModelError(
      'context_overflow',
      'The conversation no longer fits the model and cannot be shortened further. Start a new one with /new.',
    );
  }
  await turn.hooks.begin();
  const answer = yield* callModel({
    ladder: turn.models.ladder,
    memory: turn.models.memory,
    heard: state.heard,
    outputLimit: state.outputLimit,
    clock: turn.clock,
    signal: turn.signal,
    retries: turn.models.retries,
    watch: turn.hooks.requests,
    random: () => turn.random(),
    requireBudget: async (route) => {
      const refusal = await turn.spending.refusal(route);
      if (refusal !== undefined) throw new SpendingCapReached(refusal);
    },
    recordUsage: (usage, on) => turn.log.recordUsage(usage, on),
    shrink: (refusal) => fitHistory(turn, tools, refusal),
    buildRequest: (route: ModelRoute) =>
      turnRequest(turn.log, turn.models.request, state.outputLimit.on(route), {
        tools,
        note,
        withContext: (history) => turn.hooks.withContext(history),
        keptPictures: (name) => turn.tools.toolbox.find(name)?.traits.keepsPictures,
      }),
  });
  await turn.contextEngine.answered?.(answer.route);
  state.apiCalls += 1;
  state.lastReasoning = answer.message.reasoning ?? state.lastReasoning;
  if (answer.usage !== undefined) {
    turn.log.notePrompt(answer.usage);
    yield { type: 'usage', usage: answer.usage, provider: answer.route.provider, model: answer.route.model };
  }
  return answer;
}

/** Does what an answer asks for; returns the end of the turn, or nothing when it goes on. */
async function* act<Services>(
  turn: Turn<Services>,
  state: TurnState,
  answer: Answer,
): AsyncGenerator<AgentEvent, TurnEnd | undefined> {
  if (answer.kind === 'calls') return yield* actOnCalls(turn, state, answer);
  if (answer.kind === 'text') return yield* actOnText(turn, state, answer);
  const verdict = unusableAnswer(answer, state, turn.tools.toolbox.names);
  for (const message of verdict.keep) yield await turn.log.keep(message);
  if (verdict.told !== undefined) yield { type: 'status', kind: 'warning', message: verdict.told };
  if (verdict.piece !== undefined) state.pieces.push(verdict.piece);
  state.note = verdict.note;
  if (verdict.raiseLimit === true) state.outputLimit.raise();
  if (verdict.voidText) yield { type: 'text_reset' };
  state.heard.text = '';
  if (verdict.next === 'again') return undefined;
  const pieces = state.pieces.join('');
  const text = verdict.next.text ?? (pieces === '' ? (state.held ?? null) : pieces);
  const { error } = verdict.next;
  if (error !== undefined) {
    return {
      ended: 'partial',
      finalResponse: text === null ? null : yield* endText(turn, text),
      error,
    };
  }
  if (text === null) return { ended: 'failed', finalResponse: null, error: 'The model gave no answer.' };
  if (verdict.next.isKept !== true) {
    yield* keep(turn, state, { role: 'assistant', content: text });
    yield { type: 'text_delta', text };
  }
  return { ended: 'completed', finalResponse: yield* endText(turn, text) };
}

/** Ends the turn, unless what it changed is still to be checked: the answer is then kept and the work goes on. */
async function* actOnText<Services>(
  turn: Turn<Services>,
  state: TurnState,
  answer: Extract<Answer, { kind: 'text' }>,
): AsyncGenerator<AgentEvent, TurnEnd | undefined> {
  const text = [...state.pieces, answer.text].join('');
  if (isOnlyAnnounced(turn, state, text)) {
    state.announcements += 1;
    yield* keep(turn, state, { ...answer.message, finish_reason: 'incomplete' });
    yield { type: 'text_end' };
    state.pieces = [];
    state.note = goOnNote;
    return undefined;
  }
  const demand = (await turn.watch.verifier.demand()) ?? (await turn.hooks.demand(text));
  if (demand === undefined || turn.signal.aborted) {
    yield* keep(turn, state, answer.message);
    return { ended: 'completed', finalResponse: yield* endText(turn, text) };
  }
  yield* keep(turn, state, { ...answer.message, finish_reason: 'verification_required' });
  yield { type: 'text_end' };
  yield { type: 'status', kind: 'notice', message: 'What was changed is checked before the turn ends.' };
  state.held = text;
  state.pieces = [];
  state.note = demand;
  return undefined;
}

function isOnlyAnnounced<Services>({ tools, log, models, signal }: Turn<Services>, state: TurnState, text: string) {
  if (signal.aborted || state.announcements >= maxAnnouncements || tools.toolbox.names.length === 0) return false;
  return isAnnouncement(text, log.messages, models.ladder.current, tools.announcements);
}

const agents: readonly Source[] = [{ from: 'agent' }];

/** Stores what the model said; from then on nothing of it is only heard. */
async function* keep<Services>(
  turn: Turn<Services>,
  state: TurnState,
  message: AssistantMessage,
): AsyncGenerator<AgentEvent, void> {
  const { sources } = turn.hooks;
  yield await turn.log.keep(sources.length === 0 ? message : { ...message, sources: mergeSources(agents, sources) });
  state.heard.text = '';
}

async function* actOnCalls<Services>(
  turn: Turn<Services>,
  state: TurnState,
  answer: Extract<Answer, { kind: 'calls' }>,
): AsyncGenerator<AgentEvent, TurnEnd | undefined> {
  const { toolbox, ports } = turn.tools;
  const traits = answer.calls.map((call) => toolbox.find(call.function.name)?.traits ?? {});
  state.unknownTools = 0;
  state.brokenArguments = 0;
  state.cutCalls = 0;
  state.outputLimit.settle();
  if (answer.text !== '' && traits.every(({ housekeeping }) => housekeeping)) state.housekeepingText = answer.text;
  yield* keep(turn, state, answer.message);
  yield { type: 'text_end' };
  const maxResultChars = turn.contextEngine.maxResultChars?.(turn.models.ladder.current);
  yield* runToolCalls(answer.calls, {
    ...(maxResultChars === undefined ? {} : { maxResultChars }),
    ...turn.tools.deadlines,
    ports,
    toolbox,
    sessionId: turn.log.sessionId,
    clock: turn.clock,
    signal: turn.signal,
    interruptMessage: () => turn.interruptMessage(),
    guard: turn.watch.guard,
    hooks: turn.hooks.calls(),
    onFinished: (call) => {
      turn.hooks.note(call);
      turn.watch.mutations.note(call);
      turn.watch.verifier.note(call);
    },
    keep: (message: ToolMessage) => turn.log.keep(message),
  });
  const guidance = turn.takeSteering();
  if (guidance !== undefined) yield await turn.log.keep({ role: 'user', ...guidance, kind: 'steer' });
  if (traits.every(({ refundsStep }) => refundsStep)) turn.budget.refund();
  const stuck = turn.watch.guard.verdict();
  if (stuck === undefined || turn.signal.aborted) return undefined;
  yield* keep(turn, state, { role: 'assistant', content: stuck, kind: 'note' });
  yield { type: 'text_delta', text: stuck };
  return { ended: 'partial', finalResponse: yield* endText(turn, stuck), error: stuck };
}

/**
 * Ends the turn's last text as hooks want it delivered, with the edits that failed listed under it: on surfaces that stream
 * as in the result, but not in the history. Returns the whole text.
 */
async function* endText<Services>(turn: Turn<Services>, text: string): AsyncGenerator<AgentEvent, string> {
  const said = await turn.hooks.delivered(text);
  if (said !== text) {
    yield { type: 'text_reset' };
    yield { type: 'text_delta', text: said };
  }
  const footer = turn.watch.mutations.footer();
  const listed = footer === '' ? '' : `\n\n${footer}`;
  if (listed !== '') yield { type: 'text_delta', text: listed };
  yield { type: 'text_end' };
  return said + listed;
}

const summaryNote =
  '[System: the step budget of this turn is used up. Do not call tools. Summarise what was done, what was found, and what is left to do.]';

async function* outOfSteps<Services>(turn: Turn<Services>, state: TurnState): AsyncGenerator<AgentEvent, TurnEnd> {
  const max = turn.budget.max;
  yield {
    type: 'status',
    kind: 'warning',
    message: `⚠ Iteration budget reached (${max}/${max}) — response may be incomplete`,
  };
  if (state.held === undefined) return yield* summarizeWork(turn, state);
  return { ended: 'budget', finalResponse: yield* endText(turn, state.held) };
}

/** One request without tools, so that a turn that ran out of steps still ends with an account of the work. */
async function* summarizeWork<Services>(turn: Turn<Services>, state: TurnState): AsyncGenerator<AgentEvent, TurnEnd> {
  const { max } = turn.budget;
  for (let attempt = 0; attempt < 2; attempt += 1) {
    const answer = yield* askModel(turn, state, [], summaryNote);
    const text = visibleText(answer.message.content);
    if (text.trim() === '') continue;
    const { tool_calls: _, ...message } = answer.message;
    return yield* endOnBudget(turn, state, message, text);
  }
  const text = `The step budget (${max}) is used up, and no summary of the work could be made. Say "continue" to go on.`;
  yield { type: 'text_delta', text };
  return yield* endOnBudget(turn, state, { role: 'assistant', content: text, kind: 'note' }, text);
}

async function* endOnBudget<Services>(
  turn: Turn<Services>,
  state: TurnState,
  message: AssistantMessage,
  text: string,
): AsyncGenerator<AgentEvent, TurnEnd> {
  yield* keep(turn, state, message);
  return { ended: 'budget', finalResponse: yield* endText(turn, text) };
}

/** An interrupt or a failure. What the model had said until then is kept and marked. */
async function* brokenOff<Services>(
  turn: Turn<Services>,
  state: TurnState,
  error?: unknown,
): AsyncGenerator<AgentEvent, TurnEnd> {
  const content = state.heard.text;
  const said = [...state.pieces, visibleText(content)].join('').trim();
  const finalResponse = said === '' ? (state.held ?? null) : said;
  if (visibleText(content).trim() !== '') {
    yield await turn.log.keep({ role: 'assistant', content, kind: 'interrupted' });
    yield { type: 'text_end' };
  }
  if (turn.signal.aborted) {
    const message = turn.interruptMessage();
    return { ended: 'interrupted', finalResponse, ...(message === undefined ? {} : { message }) };
  }
  const setAside = await setAsideUnsendable(turn, error);
  const ended = said === '' && state.held !== undefined ? 'partial' : 'failed';
  return { ended, finalResponse, error: setAside ?? withNextStep(error) };
}

function withNextStep(error: unknown): string {
  const step = error instanceof ModelError ? nextStep(error) : undefined;
  return step === undefined ? errorMessage(error) : `${errorMessage(error)} — ${step}`;
}
