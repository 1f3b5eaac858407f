/** `/v1/responses`: a turn as a response, and responses that were stored. */
import type { JsonObject } from '../../../lib/json.ts';
import type { Log } from '../../../lib/log.ts';
import { jsonAnswer } from '../../answers.ts';
import { EventStream } from '../../event-stream.ts';
import type { HttpRequest, Route } from '../../routes.ts';
import { incomplete } from '../chat-completions/answer.ts';
import type { LiveSettings } from '../live-settings.ts';
import { OncePerKey } from '../once-per-key.ts';
import { sessionHeaders } from '../session-headers.ts';
import { responsesUsage, type Shortfall, shortfallHeaders, shortfallOf } from '../turn-end.ts';
import type { Place, TurnOutcome, TurnRequest, Turns } from '../turns.ts';
import { CalledTools, newId, outputOf, withShown } from './output.ts';
import { notFound, onceKey, readResponseRequest, type ResponseRequest } from './request.ts';
import type { ResponseStore } from './response-store.ts';
import { ResponseStream } from './stream.ts';

export interface ResponsesParts {
  readonly turns: Turns;
  readonly settings: LiveSettings;
  readonly store: ResponseStore;
  readonly log: Log;
}

/** What the result of a turn is made into, each time it is asked for with the same key; the conversation is not kept. */
interface Answered {
  readonly sessionId: string;
  readonly shortfall: Shortfall | undefined;
  readonly response: JsonObject;
}

export function responsesRoutes(parts: ResponsesParts): Route[] {
  const once = new OncePerKey<Answered>();
  const path = '/v1/responses/:id';
  return [
    {
      method: 'POST',
      path: '/v1/responses',
      access: 'key',
      async handle(request) {
        const body = await request.json();
        const { modelName } = await parts.settings.current();
        const asked = await readResponseRequest(body, request, { store: parts.store, modelName });
        if (asked.stream) return await streamed(asked, parts);
        const { key, fingerprint } = onceKey(body, request);
        const isKept = key !== undefined;
        const answered = await once.run(key, fingerprint, () => whole(asked, request, parts, isKept));
        return await answerOf(answered, asked, parts.turns);
      },
    },
    {
      method: 'GET',
      path,
      access: 'key',
      async handle({ params: { id = '' } }) {
        const found = await parts.store.get(id);
        if (found === undefined) throw notFound('Response', id);
        return jsonAnswer(found.response);
      },
    },
    {
      method: 'DELETE',
      path,
      access: 'key',
      async handle({ params: { id = '' } }) {
        if (!(await parts.store.delete(id))) throw notFound('Response', id);
        return jsonAnswer({ id, object: 'response', deleted: true });
      },
    },
  ];
}

async function turnOf(asked: ResponseRequest, turns: Turns): Promise<TurnRequest> {
  const { input, history, instructions, model, headers, sessionId } = asked;
  return {
    sessionId: sessionId === undefined ? turns.newId() : await turns.liveId(sessionId),
    input,
    history,
    system: instructions ?? '',
    model,
    sessionKey: headers.sessionKey,
  };
}

function headOf({ model, previousId, instructions }: ResponseRequest): JsonObject & { readonly id: string } {
  return {
    id: newId('resp', 28),
    object: 'response',
    created_at: Math.floor(Date.now() / 1000),
    model,
    ...(previousId === null ? {} : { previous_response_id: previousId }),
    ...(instructions === null ? {} : { instructions }),
  };
}

async function whole(
  asked: ResponseRequest,
  { signal }: HttpRequest,
  parts: ResponsesParts,
  isKept: boolean,
): Promise<Answered> {
  const { turns } = parts;
  const place = turns.admit({ limited: true });
  try {
    const tools = new CalledTools();
    const until = isKept ? new AbortController().signal : signal;
    const outcome = await turns.run(await turnOf(asked, turns), (event) => tools.hear(event), until);
    const shortfall = shortfallOf(outcome.result);
    const output = outputOf(outcome, tools);
    if (shortfall !== undefined && outcome.result.finalResponse === null) {
      throw incomplete(shortfall, outcome.sessionId, asked.headers.sessionKey);
    }
    const { id, ...head } = headOf(asked);
    const status = shortfall === undefined ? 'completed' : 'incomplete';
    const response = { id, ...head, status, output, usage: responsesUsage(outcome.usage) };
    await keep(id, response, { asked, parts, said: outcome, conversation: asked.conversation });
    return { sessionId: outcome.sessionId, shortfall, response };
  } finally {
    place.leave();
  }
}

/** What is stored is the answer as it was given: pictures would fill the store. */
async function answerOf(
  { sessionId, shortfall, response }: Answered,
  { headers }: ResponseRequest,
  turns: Turns,
): Promise<Response> {
  return jsonAnswer(await withShown(response, (text) => turns.shown(text)), 200, {
    ...sessionHeaders(sessionId, headers.sessionKey),
    ...(shortfall === undefined ? {} : shortfallHeaders(shortfall)),
  });
}

async function streamed(asked: ResponseRequest, parts: ResponsesParts): Promise<Response> {
  const place = parts.turns.admit({ limited: true });
  try {
    const turn = await turnOf(asked, parts.turns);
    const left = new AbortController();
    const stream = new EventStream({
      headers: sessionHeaders(turn.sessionId, asked.headers.sessionKey),
      onLeft: () => left.abort(),
    });
    void new StreamedResponse(asked, parts, stream).run(turn, left.signal, place);
    return stream.response;
  } catch (error) {
    place.leave();
    throw error;
  }
}

/** Is kept from its beginning, so that what was there when its reader left can be read later. */
class StreamedResponse {
  readonly #asked: ResponseRequest;
  readonly #parts: ResponsesParts;
  readonly #id: string;
  readonly #answer: ResponseStream;

  constructor(asked: ResponseRequest, parts: ResponsesParts, stream: EventStream) {
    const head = headOf(asked);
    this.#asked = asked;
    this.#parts = parts;
    this.#id = head.id;
    this.#answer = new ResponseStream(stream, head);
  }

  /** Never rejects. */
  async run(turn: TurnRequest, signal: AbortSignal, place: Place): Promise<void> {
    const begun = { sessionId: turn.sessionId, history: turn.history ?? [] };
    try {
      await this.#keep(this.#answer.response('in_progress'), begun);
      const outcome = await this.#parts.turns.run(turn, (event) => this.#answer.hear(event), signal);
      const response = this.#answer.finish(outcome);
      const ended = signal.aborted ? { ...response, status: 'incomplete' } : response;
      // Before its reader can go on from it.
      await this.#keep(ended, outcome, this.#asked.conversation);
      this.#answer.end(response);
    } catch (error) {
      const response = this.#answer.fail(error);
      await this.#keep(signal.aborted ? { ...response, status: 'incomplete' } : response, begun);
      this.#answer.end(response);
    } finally {
      place.leave();
    }
  }

  async #keep(response: JsonObject, said: Said, conversation?: string): Promise<void> {
    await keep(this.#id, response, { asked: this.#asked, parts: this.#parts, said, conversation });
  }
}

type Said = Pick<TurnOutcome, 'sessionId' | 'history'>;

interface Keeping {
  readonly asked: ResponseRequest;
  readonly parts: ResponsesParts;
  readonly said: Said;
  readonly conversation?: string | undefined;
}

/** Never rejects: the work is done, and its answer counts more. Whoever goes on from it is told that it is not there. */
async function keep(id: string, response: JsonObject, { asked, parts, said, conversation }: Keeping): Promise<void> {
  if (!asked.store) return;
  const { sessionId, history } = said;
  try {
    await parts.store.put(id, { response, instructions: asked.instructions, sessionId, history }, conversation);
  } catch (error) {
    parts.log.warning('a response was not stored', error);
  }
}
