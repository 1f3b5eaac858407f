/** A local model as a protocol: the whole history with every request, the binding keeps what it has read of it. */
import { errorMessage, UserError } from '../../lib/errors.ts';
import { ModelError, type ModelErrorKind } from '../../llm/model-error.ts';
import type { ModelEvent, ModelRequest, Protocol } from '../../llm/protocol.ts';
import { failure } from '../../llm/protocols/model-failure.ts';
import { LocalAnswer } from './local-answer.ts';
import type { LocalEngine } from './local-engine.ts';
import { OutOfMemoryError, WindowFullError } from './refusals.ts';

type End = { readonly done: ModelEvent } | { readonly error: ModelError };

/** One question at a time; an abort is answered at once, even while the binding still finishes a step. */
export function createLocalProtocol(engine: LocalEngine): Protocol {
  return {
    async *stream(request, signal) {
      const stop = new AbortController();
      const answer = new LocalAnswer(request);
      const outcome: { end?: End } = {};
      const settle = (end: End): void => {
        outcome.end = end;
        answer.wake();
      };
      engine
        .use((loaded, stopped) => answer.generate(loaded, stopped), AbortSignal.any([signal, stop.signal]))
        .then(
          (done) => settle({ done }),
          (error: unknown) => settle({ error: failureOf(error, request, signal) }),
        );
      try {
        while (outcome.end === undefined) {
          await answer.news();
          if (!signal.aborted) yield* answer.takeEvents();
        }
        if ('error' in outcome.end) throw outcome.end.error;
        yield outcome.end.done;
      } finally {
        stop.abort(new ModelError('aborted', 'nobody listens to the answer any more'));
      }
    },
  };
}

function failureOf(error: unknown, request: ModelRequest, signal: AbortSignal): ModelError {
  if (signal.aborted) return refused(request, 'aborted', 'interrupted', error);
  if (error instanceof ModelError) return error;
  if (error instanceof WindowFullError) return refused(request, 'context_overflow', error.message, error);
  if (error instanceof OutOfMemoryError) return refused(request, 'bad_request', error.message, error);
  if (error instanceof UserError) {
    return refused(request, 'bad_request', `${error.message} ${error.hint ?? ''}`.trim(), error);
  }
  return refused(request, 'bad_request', errorMessage(error), error);
}

function refused(request: ModelRequest, kind: ModelErrorKind, what: string, cause: unknown): ModelError {
  const { model, messages } = request;
  const context = { provider: 'local', model, host: '', secrets: [], messageCount: messages.length, requestTokens: 0 };
  return failure(context, kind, what, { cause });
}
