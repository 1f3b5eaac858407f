/** Reads the body of a response in Anthropic's format, streamed or whole, into the events of one answer. */
import type { ModelEvent } from '../../protocol.ts';
import type { Exchange } from '../exchange.ts';
import { failure, type RequestContext, reportedFailure } from '../model-failure.ts';
import { readEvents } from '../read-events.ts';
import { AnthropicAnswer } from './answer.ts';

/** How long a complete answer may wait for its `message_stop`. */
const closingSilenceMs = 2000;

/**
 * Yields the events of the answer, `done` last. An answer is complete with `message_stop` or a stop reason; a
 * connection that closes before is a network failure. Throws `ModelError` only.
 */
export async function* readAnthropicAnswer(
  exchange: Exchange,
  context: RequestContext,
  signal: AbortSignal,
): AsyncGenerator<ModelEvent> {
  const answer = new AnthropicAnswer(context);
  try {
    for await (const { name, data, whole, more } of readEvents(exchange, context)) {
      if (whole && data['type'] === undefined) throw reportedFailure(context, data['error'] ?? data);
      answer.add(data, name);
      if (more !== true) yield* answer.takeEvents();
      if (answer.ended) break;
      if (answer.finished) exchange.almostDone(closingSilenceMs);
    }
  } catch (error) {
    yield* answer.takeEvents();
    // A finished answer is whole, however its connection ends.
    if (!answer.finished || signal.aborted) throw error;
  }
  exchange.throwIfAborted();
  if (!answer.finished) {
    const what = answer.begun ? 'in the middle of the answer' : 'before the answer began';
    throw failure(context, 'network', `the connection was closed ${what}`);
  }
  exchange.finish();
  yield* answer.finish();
}
