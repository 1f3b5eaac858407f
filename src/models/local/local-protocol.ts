/** A local model as a protocol: the whole history with every request, the binding keeps what it has read of it. */
import { errorMessage, UserError } from '../../lib/errors.ts';
import { ModelError } from '../../llm/model-error.ts';
import type { ModelEvent, ModelRequest } from '../../llm/protocol.ts';
import { failure, type RequestContext } from '../../llm/protocols/model-failure.ts';
import type { VirtualModel } from '../virtual-model.ts';
import { LocalAnswer } from './local-answer.ts';
import type { LocalEngine } from './local-engine.ts';
import { WindowFullError } from './refusals.ts';

/** One request at a time; an abort is answered at once, even while the binding still finishes a step. */
export class LocalProtocol implements VirtualModel {
  readonly vision = false;
  /** Tokens. */
  readonly contextLength: number | undefined;
  readonly #engine: LocalEngine;

  constructor(engine: LocalEngine, contextLength: number | undefined) {
    this.#engine = engine;
    this.contextLength = contextLength;
  }

  async *stream(request: ModelRequest, signal: AbortSignal): AsyncGenerator<ModelEvent> {
    const context = contextOf(request);
    const stop = new AbortController();
    const answer = new LocalAnswer(request, context);
    const outcome: { last?: readonly ModelEvent[]; error?: ModelError } = {};
    void this.#engine
      .use((loaded, stopped) => answer.generate(loaded, stopped), AbortSignal.any([signal, stop.signal]))
      .then(
        (last) => (outcome.last = last),
        (error: unknown) => (outcome.error = failureOf(error, context, signal)),
      )
      .then(() => answer.wake());
    try {
      while (outcome.last === undefined && outcome.error === undefined) {
        await answer.news();
        yield* answer.takeEvents();
      }
      yield* outcome.last ?? answer.rest();
      if (outcome.error !== undefined) throw outcome.error;
    } finally {
      stop.abort(new ModelError('aborted', 'nobody listens to the answer any more'));
    }
  }
}

function failureOf(error: unknown, context: RequestContext, signal: AbortSignal): ModelError {
  if (signal.aborted) return failure(context, 'aborted', 'interrupted', { cause: error });
  if (error instanceof ModelError) return error;
  const kind = error instanceof WindowFullError ? 'context_overflow' : 'bad_request';
  const hint = error instanceof UserError ? (error.hint ?? '') : '';
  return failure(context, kind, `${errorMessage(error)} ${hint}`.trim(), { cause: error });
}

function contextOf({ model, messages }: ModelRequest): RequestContext {
  return { provider: 'local', model, host: '', secrets: [], messageCount: messages.length, requestTokens: 0 };
}
