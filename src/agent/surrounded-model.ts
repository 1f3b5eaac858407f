/** A request to a model with middleware around it: what comes of it still streams, and the end waits for the middleware. */
import * as z from 'zod';
import { type JsonObject, sameJson } from '../lib/json.ts';
import { newCallId } from '../llm/call-id.ts';
import type { AssistantMessage } from '../llm/message.ts';
import { ModelError } from '../llm/model-error.ts';
import type { ModelEvent, ModelRequest, ModelRoute, StopReason } from '../llm/protocol.ts';
import { withBesides } from './changed-request.ts';
import { plainMessages, usageFields } from './hook-payload.ts';
import type { HookPayload, Hooks } from './hooks.ts';
import { plainCopy } from './request-schema.ts';

type Done = Extract<ModelEvent, { type: 'done' }>;

/** Stands in the place of `done`, which was booked already. */
export interface Given {
  readonly type: 'given';
  readonly done: Done;
  /** The text is not the one that was streamed. */
  readonly isOtherText: boolean;
}

export interface SurroundedRequest {
  readonly hooks: Pick<Hooks, 'around'>;
  readonly route: ModelRoute;
  readonly request: ModelRequest;
  readonly signal: AbortSignal;
  payload(): HookPayload;
  /** Called when the provider has answered, whatever middleware makes of it. */
  book(done: Done): Promise<void>;
  /** The answer is one that middleware gave. */
  heardFrom(by: string): void;
}

/**
 * Yields what the provider says as it comes, and one `given` at the end. The provider is asked when the innermost
 * middleware asks for it; throws what it throws, also when middleware swallowed that and gave nothing.
 */
export async function* surroundedModel(asked: SurroundedRequest): AsyncGenerator<ModelEvent | Given, void> {
  const { signal, route } = asked;
  const begun = Promise.withResolvers<'begun'>();
  const answered = Promise.withResolvers<Done>();
  // Middleware may have stopped to wait for it.
  answered.promise.catch(() => undefined);
  const ended = new AbortController();
  let own: Done | undefined;
  const around = asked.hooks.around<Done>('llm_execution', {
    payload: () => asked.payload(),
    abandoned: ended.signal,
    run: async () => {
      begun.resolve('begun');
      return await answered.promise;
    },
    show: (done) => shownAnswer(done, route),
    read: (given, done) => readAnswer(given, done, route),
  });
  around.catch(() => undefined);
  const stopped = aborted(signal, ended.signal);
  try {
    if ((await Promise.race([begun.promise, around.then(() => 'answered'), stopped])) === 'begun') {
      own = yield* ownAnswer(asked, answered);
    }
    // An interrupt does not wait for middleware: what the provider said stands as it is.
    const outcome = await Promise.race([around, stopped]);
    if (outcome === 'stopped') {
      if (own === undefined) throw new ModelError('aborted', 'The request was stopped.');
      yield { type: 'given', done: own, isOtherText: false };
      return;
    }
    const { result, by } = outcome;
    if (by !== undefined) asked.heardFrom(by);
    const isOtherText = result.message.content !== (own?.message.content ?? null);
    yield { type: 'given', done: result, isOtherText };
  } finally {
    ended.abort();
    answered.reject(new ModelError('aborted', 'Nobody waits for the answer any more.'));
  }
}

/** What the provider says; its last word, or what went wrong, is told to those who wait for it. */
async function* ownAnswer(
  asked: SurroundedRequest,
  answered: PromiseWithResolvers<Done>,
): AsyncGenerator<ModelEvent, Done | undefined> {
  const { route, request, signal } = asked;
  let done: Done | undefined;
  try {
    for await (const event of route.protocol.stream(request, signal)) {
      if (event.type === 'done') done = event;
      else yield event;
    }
  } catch (error) {
    answered.reject(error);
    return undefined;
  }
  if (done === undefined) {
    answered.reject(new ModelError('malformed', `${route.provider} ended its answer without a result`));
    return undefined;
  }
  await asked.book(done);
  answered.resolve(done);
  return done;
}

async function aborted(signal: AbortSignal, ended: AbortSignal): Promise<'stopped'> {
  if (!signal.aborted) {
    await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true, signal: ended }));
  }
  return 'stopped';
}

/** As `post_api_request` tells of answers. */
function shownAnswer({ message, stopReason, usage, answeredBy }: Done, route: ModelRoute): JsonObject {
  const [assistant_message = null] = plainMessages([message]);
  return {
    model: answeredBy?.model ?? route.model,
    finish_reason: message.finish_reason ?? stopReason,
    assistant_message,
    usage: usage === undefined ? null : usageFields(usage),
  };
}

const maxAnswerChars = 4_000_000;
const stopReasons: readonly StopReason[] = ['stop', 'tool_calls', 'length', 'content_filter'];
const answer = z.object({
  finish_reason: z.string().max(100).nullish(),
  assistant_message: z.object({
    content: z.string().nullish(),
    tool_calls: z
      .array(
        z.object({
          id: z.string().nullish(),
          function: z.object({ name: z.string().min(1), arguments: z.string() }),
        }),
      )
      .max(256)
      .nullish(),
  }),
});

/** What middleware gave in the place of an answer; the same one where it says the same. Throws when it is none. */
function readAnswer(given: unknown, done: Done | undefined, route: ModelRoute): Done {
  const copy = plainCopy(given, maxAnswerChars);
  if ('problem' in copy) throw new TypeError(`its answer cannot be used: ${copy.problem}`);
  const { success, data, error } = answer.safeParse(copy.value);
  if (!success) throw new TypeError(`its answer cannot be used: ${z.prettifyError(error)}`);
  const { assistant_message, finish_reason } = data;
  if (done !== undefined && saysTheSame(copy.value, shownAnswer(done, route))) return done;
  const content = assistant_message.content ?? null;
  const tool_calls = (assistant_message.tool_calls ?? []).map(({ id, function: called }) => ({
    id: id || newCallId(),
    type: 'function' as const,
    function: called,
  }));
  if ((content ?? '').trim() === '' && tool_calls.length === 0) {
    throw new TypeError('its answer cannot be used: it has neither text nor calls');
  }
  const said = stopReasons.find((reason) => reason === finish_reason) ?? 'stop';
  const ended = said === 'stop' || said === 'tool_calls' ? (tool_calls.length > 0 ? 'tool_calls' : 'stop') : said;
  const message: AssistantMessage = {
    role: 'assistant',
    content,
    ...(tool_calls.length === 0 ? {} : { tool_calls }),
  };
  return {
    ...done,
    type: 'done',
    message: { ...withBesides(message, done?.message), finish_reason: ended },
    stopReason: ended,
  };
}

function saysTheSame(given: JsonObject, shown: JsonObject): boolean {
  return ['assistant_message', 'finish_reason'].every((key) => sameJson(given[key], shown[key]));
}
