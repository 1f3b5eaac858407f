/** One model request with everything that makes it dependable: retries, waits, fallback, and shrinking when too long. */
import { ModelError } from '../llm/model-error.ts';
import { estimateUsage } from '../llm/estimate.ts';
import type { AssistantMessage } from '../llm/message.ts';
import type { CalledModel, ModelEvent, ModelRequest, ModelRoute, Usage } from '../llm/protocol.ts';
import type { Clock } from './clock.ts';
import { CutPromptWatch } from './cut-prompt.ts';
import type { AgentEvent } from './events.ts';
import type { OutputLimit } from './output-limit.ts';
import type { RouteLadder } from './route-ladder.ts';
import type { Attempt, RequestHooks } from './request-hooks.ts';
import { asksTooMuch, neverConnected, waitMs } from './retry-wait.ts';
import { visibleText } from './visible-text.ts';

type Done = Extract<ModelEvent, { type: 'done' }>;
export type ModelAnswer = Done & { readonly route: ModelRoute };

/** What is known of routes, for the life of an agent. */
export class RouteMemory {
  /** Routes that turned out not to stream. */
  readonly noStreaming = new Set<string>();
  readonly cutPrompts = new CutPromptWatch();
}

/** What the model has said of an answer that is not there yet. */
export class Heard {
  text = '';
}

export interface ModelCall {
  readonly ladder: RouteLadder;
  readonly memory: RouteMemory;
  readonly heard: Heard;
  readonly outputLimit: OutputLimit;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly retries: RetryLimits;
  /** Hears of every request and what became of it. */
  readonly watch: Pick<RequestHooks, 'asking' | 'answered' | 'failed' | 'refused' | 'around'>;
  /** 0 to 1, for jitter. */
  random(): number;
  /** Throws when a spending cap is reached; asked before every request. */
  requireBudget(route: ModelRoute): Promise<void>;
  /** Books the tokens of one request; estimated ones where the provider reports none, so that caps hold all the same. */
  recordUsage(usage: Usage, on: CalledModel): Promise<void>;
  /** The request for a route; called again after `shrink`. */
  buildRequest(route: ModelRoute): Promise<Omit<ModelRequest, 'stream'>>;
  /** Shortens the history after the provider called it too long, in these words; false when it cannot. */
  shrink(refusal: ModelError): AsyncGenerator<AgentEvent, boolean>;
}

export interface RetryLimits {
  /** Per provider, after the first attempt (`agent.api_max_retries`). */
  readonly requests: number;
  /** Fresh connections after a stream that broke before its first event (`HERMES_STREAM_RETRIES`). */
  readonly streams: number;
  /** Answers in a row that did not come in time, after which the provider is left alone (`HERMES_STREAM_STALE_GIVEUP`); default 5. */
  readonly timeouts?: number;
}

const usualTimeouts = 5;

const maxShrinks = 3;

/** Throws the last `ModelError` when every candidate was tried; what was heard of its answer is then left in `heard`. */
export async function* callModel(call: ModelCall): AsyncGenerator<AgentEvent, ModelAnswer> {
  const attempts: Attempts = { failures: 0, broken: 0, shrinks: 0, timeouts: 0 };
  for (;;) {
    const route = call.ladder.current;
    const shown: Shown = { anything: false, attempt: undefined };
    await call.requireBudget(route);
    const stream =
      route.streaming && !call.memory.noStreaming.has(streamKey(route)) && attempts.broken <= call.retries.streams;
    try {
      return yield* streamOnce(call, route, stream, shown);
    } catch (error) {
      if (!(error instanceof ModelError)) throw error;
      await tellFailure(call, error, attempts, shown.attempt);
      if (refusals.has(error.kind) && shown.attempt !== undefined && call.watch.refused(shown.attempt)) continue;
      const next = yield* recover(call, error, stream && !shown.anything, attempts);
      if (next === 'give_up') throw error;
    }
  }
}

interface Shown {
  anything: boolean;
  attempt: Attempt | undefined;
}

/** Of what was asked: where others had a hand in it, it may be theirs. */
const refusals: ReadonlySet<ModelError['kind']> = new Set([
  'bad_request',
  'context_overflow',
  'payload_too_large',
  'filtered',
] as const);

/** What is worth asking again for, as far as the kind of the failure says. */
const retryable: ReadonlySet<ModelError['kind']> = new Set([
  'rate_limit',
  'overloaded',
  'network',
  'timeout',
  'malformed',
  'stream_unsupported',
] as const);

async function tellFailure(
  { watch, retries }: ModelCall,
  error: ModelError,
  { failures }: Attempts,
  attempt: Attempt | undefined,
): Promise<void> {
  if (attempt === undefined || error.kind === 'aborted') return;
  const told = { count: failures, max: retries.requests, retryable: retryable.has(error.kind) };
  await watch.failed(attempt, error, told);
}

interface Attempts {
  failures: number;
  broken: number;
  shrinks: number;
  /** In a row. */
  timeouts: number;
}

function streamKey(route: ModelRoute): string {
  return `${route.provider} ${route.model} ${route.baseUrl}`;
}

async function* streamOnce(
  call: ModelCall,
  route: ModelRoute,
  stream: boolean,
  shown: Shown,
): AsyncGenerator<AgentEvent, ModelAnswer> {
  const asked = await call.buildRequest(route);
  const planned: ModelRequest = { ...asked, stream, ...(call.ladder.hasNext ? { othersStandBy: true } : {}) };
  shown.attempt = await call.watch.asking(route, planned);
  const { request } = shown.attempt;
  let own: Done | undefined;
  const book = async (done: Done): Promise<void> => {
    own = done;
    await call.recordUsage(done.usage ?? estimateUsage(request, done.message), done.answeredBy ?? route);
  };
  const events = call.watch.around(shown.attempt, call.signal, book) ?? route.protocol.stream(request, call.signal);
  for await (const event of events) {
    if (!shown.anything) yield* forgetEarlier(call.heard);
    shown.anything = true;
    switch (event.type) {
      case 'text':
        call.heard.text += event.text;
        yield { type: 'text_delta', text: event.text };
        break;
      case 'reasoning':
        yield { type: 'reasoning_delta', text: event.text };
        break;
      case 'tool_call_started':
        yield { type: 'tool_generating', name: event.name };
        break;
      case 'spent':
        // At once: it is spent, whatever becomes of the answer.
        await call.recordUsage(event.usage, event.on);
        break;
      case 'done':
        await book(event);
        yield* warnOfCut(call.memory.cutPrompts, route, request, event);
        await call.watch.answered(shown.attempt, event);
        return { ...event, route };
      case 'given':
        if (own !== undefined) yield* warnOfCut(call.memory.cutPrompts, route, request, own);
        if (event.isOtherText) yield* showInstead(call.heard, event.done.message);
        await call.watch.answered(shown.attempt, event.done);
        return { ...event.done, route };
    }
  }
  throw new ModelError('malformed', `${route.provider} ended its answer without a result`);
}

/** Another answer begins: until then, what was heard of the one before is all there is. */
function* forgetEarlier(heard: Heard): Generator<AgentEvent, void> {
  if (heard.text !== '') yield { type: 'text_reset' };
  heard.text = '';
}

/** The answer is another one than what was heard. */
function* showInstead(heard: Heard, { content }: AssistantMessage): Generator<AgentEvent, void> {
  yield* forgetEarlier(heard);
  heard.text = visibleText(content);
  if (heard.text !== '') yield { type: 'text_delta', text: heard.text };
}

function* warnOfCut(
  cutPrompts: CutPromptWatch,
  route: ModelRoute,
  request: ModelRequest,
  { usage, message: answer }: Done,
): Generator<AgentEvent, void> {
  const message = usage === undefined ? undefined : cutPrompts.note({ route, request, answer, usage });
  if (message !== undefined) yield { type: 'status', kind: 'warning', message };
}

type Next = 'again' | 'give_up';

/** Decides what a failure means, waits if need be, and says so. */
async function* recover(
  call: ModelCall,
  error: ModelError,
  brokeBeforeFirstEvent: boolean,
  attempts: Attempts,
): AsyncGenerator<AgentEvent, Next> {
  if (error.kind === 'aborted' || call.signal.aborted) return 'give_up';
  attempts.timeouts = error.kind === 'timeout' ? attempts.timeouts + 1 : 0;
  const { timeouts = usualTimeouts } = call.retries;
  if (timeouts > 0 && attempts.timeouts >= timeouts) return yield* fallBack(call, error, attempts);
  switch (error.kind) {
    case 'answer_too_long':
    case 'asked_once':
      return 'give_up';
    case 'stream_unsupported':
      if (call.memory.noStreaming.has(streamKey(call.ladder.current))) return yield* fallBack(call, error, attempts);
      call.memory.noStreaming.add(streamKey(call.ladder.current));
      return 'again';
    case 'context_overflow':
    case 'payload_too_large':
      if (call.outputLimit.refused()) return 'again';
      attempts.shrinks += 1;
      if (attempts.shrinks > maxShrinks) return 'give_up';
      return (yield* call.shrink(error)) ? 'again' : 'give_up';
    case 'bad_request':
      if (call.outputLimit.refused()) return 'again';
      return yield* fallBack(call, error, attempts);
    case 'auth':
    case 'billing':
    case 'filtered':
    case 'not_found':
      return yield* fallBack(call, error, attempts);
    case 'rate_limit':
    case 'malformed':
      if ((yield* fallBack(call, error, attempts)) === 'again') return 'again';
      return yield* waitAndRetry(call, error, attempts);
    case 'network':
      if (brokeBeforeFirstEvent && !neverConnected(error) && attempts.broken <= call.retries.streams) {
        attempts.broken += 1;
        return 'again';
      }
      break;
    case 'overloaded':
    case 'timeout':
      // Another model answers sooner than one that says itself that it will be long.
      if (asksTooMuch(error) && (yield* fallBack(call, error, attempts)) === 'again') return 'again';
      break;
  }
  const next = yield* waitAndRetry(call, error, attempts);
  return next === 'again' ? next : yield* fallBack(call, error, attempts);
}

async function* fallBack(call: ModelCall, error: ModelError, attempts: Attempts): AsyncGenerator<AgentEvent, Next> {
  if (!(await call.ladder.advance())) return 'give_up';
  attempts.failures = 0;
  attempts.broken = 0;
  attempts.timeouts = 0;
  const { provider, model } = call.ladder.current;
  yield { type: 'status', kind: 'fallback', message: `${error.message} — continuing with ${model} (${provider}).` };
  return 'again';
}

async function* waitAndRetry(call: ModelCall, error: ModelError, attempts: Attempts): AsyncGenerator<AgentEvent, Next> {
  if (attempts.failures >= call.retries.requests || asksTooMuch(error)) return 'give_up';
  attempts.failures += 1;
  const ms = waitMs(error, attempts.failures, call.random());
  const seconds = (ms / 1000).toFixed(ms < 10_000 ? 1 : 0);
  yield {
    type: 'status',
    kind: 'retry',
    message: `${error.message} — retry ${attempts.failures} of ${call.retries.requests} in ${seconds} s.`,
  };
  await call.clock.sleep(ms, call.signal);
  return call.signal.aborted ? 'give_up' : 'again';
}
