/** `POST /v1/chat/completions` */
import { EventStream } from '../../event-stream.ts';
import type { HttpRequest, Route } from '../../routes.ts';
import type { LiveSettings } from '../live-settings.ts';
import { OncePerKey } from '../once-per-key.ts';
import { sessionHeaders } from '../session-headers.ts';
import type { Place, TurnRequest, Turns } from '../turns.ts';
import { type Answered, chatCompletion, ChatStream } from './answer.ts';
import { type ChatRequest, readChatRequest, turnOf } from './request.ts';

export interface ChatParts {
  readonly turns: Turns;
  readonly settings: LiveSettings;
}

export function chatRoutes(parts: ChatParts): Route[] {
  const once = new OncePerKey<Answered>();
  return [
    {
      method: 'POST',
      path: '/v1/chat/completions',
      access: 'key',
      async handle(request) {
        const { modelName } = await parts.settings.current();
        const chat = readChatRequest(await request.json(), request, modelName);
        return chat.stream ? await streamed(chat, parts.turns) : await whole(chat, request, parts.turns, once);
      },
    },
  ];
}

/** Ends with its caller, unless that one may come back for the answer. */
async function whole(
  chat: ChatRequest,
  { signal }: HttpRequest,
  turns: Turns,
  once: OncePerKey<Answered>,
): Promise<Response> {
  const outcome = await once.run(chat.idempotencyKey, chat.fingerprint, async () => {
    const place = turns.admit({ limited: true });
    try {
      const until = chat.idempotencyKey === undefined ? signal : new AbortController().signal;
      const { history: _, ...made } = await turns.run(await turnOf(chat, turns), () => undefined, until);
      // A failure is not what the next one with this key wants.
      if (made.result.finalResponse === null) chatCompletion(made, chat);
      return made;
    } finally {
      place.leave();
    }
  });
  return chatCompletion(outcome, chat, await turns.shown(outcome.result.finalResponse ?? ''));
}

async function streamed(chat: ChatRequest, turns: Turns): Promise<Response> {
  const place = turns.admit({ limited: true });
  try {
    const turn = await turnOf(chat, turns);
    const left = new AbortController();
    const stream = new EventStream({
      headers: sessionHeaders(turn.sessionId, chat.headers.sessionKey),
      onLeft: () => left.abort(),
    });
    void runStreamed(turn, turns, { stream, chat, signal: left.signal, place });
    return stream.response;
  } catch (error) {
    place.leave();
    throw error;
  }
}

interface Streaming {
  readonly stream: EventStream;
  readonly chat: ChatRequest;
  readonly signal: AbortSignal;
  readonly place: Place;
}

async function runStreamed(turn: TurnRequest, turns: Turns, { stream, chat, signal, place }: Streaming): Promise<void> {
  const answer = new ChatStream(stream, chat.model);
  try {
    answer.finish(await turns.run(turn, (event) => answer.hear(event), signal));
  } catch (error) {
    answer.fail(error);
  } finally {
    place.leave();
  }
}
