/** The turn loop: one user message until the answer. */
import { errorMessage } from '../lib/errors.ts';
import type { AssistantMessage, HistoryMessage, ToolMessage } from '../llm/message.ts';
import { ModelError } from '../llm/model-error.ts';
import { nextStep } from './next-step.ts';
import type { CalledModel, ModelRequest, ModelRoute, ReasoningEffort, ToolSchema, Usage } from '../llm/protocol.ts';
import { type Answer, readAnswer } from './answer.ts';
import type { StepBudget } from './budget.ts';
import type { Clock } from './clock.ts';
import type { CutPromptWatch } from './cut-prompt.ts';
import { compactionLine } from './context/compaction-line.ts';
import type { Compaction, ContextEngine, ContextRequest } from './context/engine.ts';
import type { AgentEvent } from './events.ts';
import type { FileMutationLedger } from './file-mutations.ts';
import { repairHistory } from './history.ts';
import { callModel, type EphemeralLayers, type ModelAnswer, type RouteLadder, withSystemPrompt } from './model-call.ts';
import type { RepeatedFailures } from './repeated-failures.ts';
import { type Spending, SpendingCapReached } from './spending.ts';
import { runToolCalls, type ToolRun } from './run-tool-calls.ts';
import type { Toolbox } from './toolbox.ts';
import { type TurnCounters, unusableAnswer } from './unusable-answer.ts';
import { visibleText } from './visible-text.ts';

/** Everything one turn works with. `history` is the turn's own and grows. */
export interface Turn<Services> {
  readonly history: HistoryMessage[];
  /** Changes with a compaction only. */
  readonly systemPrompt: string;
  ephemeral(): EphemeralLayers;
  readonly toolbox: Toolbox<Services>;
  readonly ladder: RouteLadder;
  readonly budget: StepBudget;
  readonly contextEngine: ContextEngine;
  readonly mutations: FileMutationLedger;
  readonly failures: RepeatedFailures;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly limits: { readonly maxRetries: number; readonly streamRetries: number; readonly maxDelegations: number };
  readonly noStreaming: Set<string>;
  readonly cutPrompts: CutPromptWatch;
  readonly reasoningEffort: ReasoningEffort | undefined;
  readonly cacheTtl: ModelRequest['cacheTtl'];
  /** Asks for the faster, dearer tier. */
  readonly priority: boolean;
  readonly spending: Spending;
  readonly toolRun: Omit<ToolRun<Services>, 'onFinished' | 'keep' | 'toolbox' | 'clock' | 'signal'>;
  random(): number;
  /** Stores a message and adds it to the history. */
  keep(message: HistoryMessage): Promise<void>;
  /** Awaited before messages are taken out of the history. */
  beforeShortening(): Promise<void>;
  /** Goes on with a shortened history. */
  compacted(history: readonly HistoryMessage[], compaction: Compaction): Promise<void>;
  /** Takes the newest message back, here and in the store. */
  dropLast(): Promise<void>;
  /** Adds up and books the tokens of one model request. */
  recordUsage(usage: Usage, on: CalledModel): Promise<void>;
  /** Remembers how full the window was, from what the provider counted for an answer. */
  notePrompt(usage: Usage): void;
  lastPromptTokens(): number | undefined;
  /** Text to add to the last tool result, if the user steered. */
  takeSteering(): string | undefined;
}

/** How a turn ended, before it is dressed as a `TurnResult`. */
export interface TurnEnd {
  readonly finalResponse: string | null;
  readonly apiCalls: number;
  readonly ended: 'completed' | 'budget' | 'partial' | 'failed' | 'interrupted';
  readonly error?: string;
  readonly lastReasoning?: string;
}

/** Runs until there is an answer, an interrupt, a failure, or no budget. The user message is already in the history. */
export async function* runTurn<Services>(turn: Turn<Services>): AsyncGenerator<AgentEvent, TurnEnd> {
  const state = new TurnState();
  try {
    while (!turn.signal.aborted) {
      if (!turn.budget.take()) return yield* summarizeWork(turn, state);
      yield { type: 'step_started', step: turn.budget.used, maxSteps: turn.budget.max };
      const done = yield* askModel(turn, state, turn.toolbox.schemas);
      const end = yield* act(turn, state, readAnswer(done, turn.toolbox, turn.limits.maxDelegations));
      if (end !== undefined) return end;
    }
    return state.end('interrupted', null);
  } catch (error) {
    return await afterFailure(turn, state, error);
  }
}

/** What the loop remembers between steps of one turn. */
class TurnState implements TurnCounters {
  apiCalls = 0;
  unknownTools = 0;
  brokenArguments = 0;
  cutCalls = 0;
  emptyAnswers = 0;
  unfinishedThoughts = 0;
  continuations = 0;
  /** Pieces of an answer that was cut and continued. */
  pieces: string[] = [];
  /** Text that came along with housekeeping calls; it stands in for an empty answer later. */
  asideText = '';
  lastReasoning: string | undefined;
  /** News for the user that a callback could not yield. */
  readonly notices: AgentEvent[] = [];

  end(ended: TurnEnd['ended'], finalResponse: string | null, error?: string): TurnEnd {
    return {
      finalResponse,
      apiCalls: this.apiCalls,
      ended,
      ...(error === undefined ? {} : { error }),
      ...(this.lastReasoning === undefined ? {} : { lastReasoning: this.lastReasoning }),
    };
  }
}

async function* askModel<Services>(
  turn: Turn<Services>,
  state: TurnState,
  tools: readonly ToolSchema[],
  note?: string,
): AsyncGenerator<AgentEvent, ModelAnswer> {
  const fits = await fitHistory(turn, state, tools);
  yield* state.notices.splice(0);
  if (!fits) {
    throw new ModelError(
      'context_overflow',
      'The conversation no longer fits the model and cannot be shortened further. Start a new one with /new.',
    );
  }
  const answer = yield* callModel({
    ladder: turn.ladder,
    clock: turn.clock,
    signal: turn.signal,
    maxRetries: turn.limits.maxRetries,
    streamRetries: turn.limits.streamRetries,
    noStreaming: turn.noStreaming,
    cutPrompts: turn.cutPrompts,
    requireBudget: async () => {
      const refusal = await turn.spending.refusal();
      if (refusal !== undefined) throw new SpendingCapReached(refusal);
    },
    recordUsage: (usage, on) => turn.recordUsage(usage, on),
    random: () => turn.random(),
    shrink: (refusal) => fitHistory(turn, state, tools, refusal),
    takeNotices: () => state.notices.splice(0),
    buildRequest: (route) => buildRequest(turn, route, tools, note),
  });
  await turn.contextEngine.answered?.(answer.route);
  state.apiCalls += 1;
  state.lastReasoning = answer.message.reasoning ?? state.lastReasoning;
  if (answer.usage !== undefined) {
    turn.notePrompt(answer.usage);
    yield { type: 'usage', usage: answer.usage, provider: answer.route.provider, model: answer.route.model };
  }
  return answer;
}

function buildRequest<Services>(
  turn: Turn<Services>,
  route: ModelRoute,
  tools: readonly ToolSchema[],
  note: string | undefined,
): Omit<ModelRequest, 'stream'> {
  const history = note === undefined ? turn.history : [...turn.history, { role: 'user' as const, content: note }];
  return {
    model: route.model,
    messages: withSystemPrompt(turn.systemPrompt, repairHistory(history), turn.ephemeral()),
    tools,
    sessionId: turn.toolRun.sessionId,
    ...(route.maxTokens === undefined ? {} : { maxTokens: route.maxTokens }),
    ...(route.temperature === undefined ? {} : { temperature: route.temperature }),
    ...(route.extraBody === undefined ? {} : { extraBody: route.extraBody }),
    ...(turn.reasoningEffort === undefined ? {} : { reasoningEffort: turn.reasoningEffort }),
    ...(turn.cacheTtl === undefined ? {} : { cacheTtl: turn.cacheTtl }),
    ...(turn.priority ? { priority: true } : {}),
  };
}

/** Asks the context engine and takes what it made of the history; false when it is too long all the same. */
async function fitHistory<Services>(
  turn: Turn<Services>,
  state: TurnState,
  tools: readonly ToolSchema[],
  refusal?: ModelError,
): Promise<boolean> {
  const fit = await turn.contextEngine.fit(contextRequest(turn, tools, refusal), turn.signal);
  for (const message of fit.notices) state.notices.push({ type: 'status', kind: 'warning', message });
  if (fit.compaction !== undefined) {
    await turn.compacted(fit.history, fit.compaction);
    state.notices.push({ type: 'status', kind: 'compression', message: compactionLine(fit.compaction) });
  }
  return fit.fits;
}

function contextRequest<Services>(
  turn: Turn<Services>,
  tools: readonly ToolSchema[],
  refusal: ModelError | undefined,
): ContextRequest {
  const { contextLength, provider, model, baseUrl } = turn.ladder.current;
  const lastPromptTokens = turn.lastPromptTokens();
  return {
    history: turn.history,
    systemPromptChars: turn.systemPrompt.length,
    tools,
    overflow: refusal !== undefined,
    provider,
    model,
    baseUrl,
    beforeShortening: () => turn.beforeShortening(),
    ...(refusal === undefined ? {} : { refusal: refusal.message }),
    ...(contextLength === undefined ? {} : { contextLength }),
    ...(lastPromptTokens === undefined ? {} : { lastPromptTokens }),
  };
}

/** Does what an answer asks for; returns the end of the turn, or nothing when it goes on. */
async function* act<Services>(
  turn: Turn<Services>,
  state: TurnState,
  answer: Answer,
): AsyncGenerator<AgentEvent, TurnEnd | undefined> {
  if (answer.kind === 'calls') return yield* actOnCalls(turn, state, answer);
  if (answer.kind === 'text') {
    await turn.keep(answer.message);
    return state.end('completed', yield* endText([...state.pieces, answer.text].join(''), turn.mutations));
  }
  const verdict = unusableAnswer(answer, state, turn.toolbox.names);
  for (const message of verdict.keep) await turn.keep(message);
  if (verdict.piece !== undefined) state.pieces.push(verdict.piece);
  if (verdict.voidText) yield { type: 'text_reset' };
  if (verdict.next === 'again') return undefined;
  const pieces = state.pieces.join('');
  const text = verdict.next.text ?? (pieces === '' ? null : pieces);
  const complete = verdict.next.error === undefined;
  if (complete && text !== null) {
    await turn.keep({ role: 'assistant', content: text });
    yield { type: 'text_delta', text };
  }
  const shown = yield* endText(text, turn.mutations);
  return state.end(complete ? 'completed' : 'partial', shown, verdict.next.error);
}

const housekeeping = new Set(['memory', 'todo', 'skill_manage', 'session_search']);

async function* actOnCalls<Services>(
  turn: Turn<Services>,
  state: TurnState,
  answer: Extract<Answer, { kind: 'calls' }>,
): AsyncGenerator<AgentEvent, TurnEnd | undefined> {
  state.unknownTools = 0;
  state.brokenArguments = 0;
  if (answer.text !== '' && answer.calls.every((call) => housekeeping.has(call.function.name))) {
    state.asideText = answer.text;
  }
  await turn.keep(answer.message);
  yield { type: 'text_end' };
  yield* runToolCalls(answer.calls, {
    ...turn.toolRun,
    toolbox: turn.toolbox,
    clock: turn.clock,
    signal: turn.signal,
    onFinished(call) {
      turn.mutations.note(call);
      turn.failures.note(call);
    },
    keep: (message, last) => turn.keep(last ? steered(message, turn.takeSteering()) : message),
  });
  if (answer.calls.every((call) => call.function.name === 'execute_code')) turn.budget.refund();
  const stuck = turn.failures.verdict();
  if (stuck === undefined || turn.signal.aborted) return undefined;
  await turn.keep({ role: 'assistant', content: stuck });
  yield { type: 'text_delta', text: stuck };
  return state.end('partial', yield* endText(stuck, turn.mutations), stuck);
}

function steered(message: ToolMessage, text: string | undefined): ToolMessage {
  if (text === undefined) return message;
  const note = `\n\n[User guidance while you work: ${text}]`;
  if (typeof message.content === 'string') return { ...message, content: message.content + note };
  return { ...message, content: [...message.content, { type: 'text', text: note, origin: 'user' }] };
}

/**
 * Ends the turn's last text, with the edits that failed listed under it: on surfaces that stream as in the result, but
 * not in the history. Returns the whole text.
 */
function* endText(text: string | null, mutations: FileMutationLedger): Generator<AgentEvent, string | null> {
  const footer = text === null ? '' : mutations.footer();
  const listed = footer === '' ? '' : `\n\n${footer}`;
  if (listed !== '') yield { type: 'text_delta', text: listed };
  yield { type: 'text_end' };
  return text === null ? null : text + listed;
}

const summaryNote =
  '[System: the step budget of this turn is used up. Do not call tools. Summarise what was done, what was found, and what is left to do.]';

/** One request without tools, so that a turn that ran out of steps still ends with an account of the work. */
async function* summarizeWork<Services>(turn: Turn<Services>, state: TurnState): AsyncGenerator<AgentEvent, TurnEnd> {
  const max = turn.budget.max;
  yield {
    type: 'status',
    kind: 'warning',
    message: `⚠ Iteration budget reached (${max}/${max}) — response may be incomplete`,
  };
  for (let attempt = 0; attempt < 2; attempt += 1) {
    const answer = yield* askModel(turn, state, [], summaryNote);
    const text = visibleText(answer.message.content);
    if (text.trim() === '') continue;
    const { tool_calls: _, ...message } = answer.message;
    return yield* closeWith(turn, state, message, text);
  }
  const text = `The step budget (${max}) is used up, and no summary of the work could be made. Say "continue" to go on.`;
  yield { type: 'text_delta', text };
  return yield* closeWith(turn, state, { role: 'assistant', content: text }, text);
}

async function* closeWith<Services>(
  turn: Turn<Services>,
  state: TurnState,
  message: AssistantMessage,
  text: string,
): AsyncGenerator<AgentEvent, TurnEnd> {
  await turn.keep(message);
  return state.end('budget', yield* endText(text, turn.mutations));
}

/** A rejected request in a long session must not make the session longer each time it is tried. */
const longSession = { messages: 80, tokens: 50_000 };

async function afterFailure<Services>(turn: Turn<Services>, state: TurnState, error: unknown): Promise<TurnEnd> {
  if (turn.signal.aborted) return state.end('interrupted', null);
  if (error instanceof ModelError && error.kind === 'bad_request' && turn.history.at(-1)?.role === 'user') {
    const isLong = turn.history.length > longSession.messages || (turn.lastPromptTokens() ?? 0) > longSession.tokens;
    if (isLong) await turn.dropLast();
  }
  return state.end('failed', null, withNextStep(error));
}

function withNextStep(error: unknown): string {
  const step = error instanceof ModelError ? nextStep(error) : undefined;
  return step === undefined ? errorMessage(error) : `${errorMessage(error)} — ${step}`;
}
