/** Reads the events of one answer, whatever its wire format, into what the agent gets. */
import { ModelError } from '../model-error.ts';
import type { ModelEvent } from '../protocol.ts';
import type { Answer } from './answer.ts';
import type { Exchange } from './exchange.ts';
import { failure, type RequestContext } from './model-failure.ts';

/** What a wire format makes of the events of one answer. */
export interface WireAnswer<Event> {
  /** What has come so far. */
  readonly answer: Answer;
  /** The provider said that the answer is complete; its usage may follow. */
  readonly finished: boolean;
  /** Nothing of the answer follows. */
  readonly ended: boolean;
  /** Adds the next event, or the whole answer. Throws the `ModelError` that it reports. */
  add(event: Event): void;
  /** The last events, `done` among them. Asked for once, when the answer is complete. Throws `ModelError` when it is none. */
  finish(): readonly ModelEvent[];
}

/** The connection was closed before the answer was complete. */
export class UnfinishedAnswer extends ModelError {
  /** Something of the answer had come. */
  readonly begun: boolean;

  constructor(context: RequestContext, begun: boolean) {
    const what = begun ? 'in the middle of the answer' : 'before the answer began';
    const known = failure(context, 'network', `the connection was closed ${what}`);
    super(known.kind, known.message, known);
    this.begun = begun;
  }
}

/**
 * Yields the events of the answer, `done` last. Whatever ends an answer early (an abort, a broken connection, an error
 * of the provider), all that had come is yielded first. Throws `ModelError` only, if `events` and the answer do.
 */
export async function* streamAnswer<Event>(
  wire: WireAnswer<Event>,
  events: AsyncIterable<readonly Event[]>,
  exchange: Pick<Exchange, 'progressed' | 'almostDone' | 'throwIfAborted' | 'finish'>,
  context: RequestContext,
): AsyncGenerator<ModelEvent> {
  let begun = false;
  try {
    for await (const batch of events) {
      begun = true;
      exchange.progressed();
      for (const event of batch) if (!wire.ended) wire.add(event);
      yield* wire.answer.takeEvents();
      wire.answer.requireEnd();
      if (wire.ended) break;
      if (wire.finished) exchange.almostDone();
    }
  } catch (error) {
    yield* wire.answer.rest();
    exchange.throwIfAborted();
    // A finished answer is whole, however its connection ends.
    if (!wire.finished) throw error;
  }
  yield* wire.answer.rest();
  exchange.throwIfAborted();
  if (!wire.finished && !wire.ended) throw new UnfinishedAnswer(context, begun);
  const last = wire.finish();
  exchange.finish();
  yield* last;
}
