/** One turn in a stored session, as JSON or as a stream of events. */
import type { AgentEvent } from '../../../agent/events.ts';
import { errorMessage } from '../../../lib/errors.ts';
import type { JsonObject } from '../../../lib/json.ts';
import { maskKeys } from '../../../lib/secrets.ts';
import type { Content } from '../../../llm/message.ts';
import type { SessionRow } from '../../../sessions/sessions.ts';
import { HttpError, jsonAnswer } from '../../answers.ts';
import { EventStream } from '../../event-stream.ts';
import type { HttpRequest } from '../../routes.ts';
import { AnswerText } from '../answer-text.ts';
import { incomplete } from '../chat-completions/answer.ts';
import { isEmpty, readContent } from '../content.ts';
import { newId } from '../responses/output.ts';
import { turnObjects } from '../session-rows.ts';
import { readSessionHeaders, sessionHeaders } from '../session-headers.ts';
import { responsesUsage, shortfallHeaders, shortfallOf } from '../turn-end.ts';
import { busy, type Place, type TurnOutcome, type TurnRequest, type Turns } from '../turns.ts';

/** Throws `HttpError`. */
export async function readChat(
  body: JsonObject,
  { headers }: HttpRequest,
  row: SessionRow,
  turns: Turns,
): Promise<TurnRequest> {
  const { model } = body;
  const system = body['system_message'] ?? body['instructions'] ?? '';
  if (typeof system !== 'string') {
    throw new HttpError(400, "'system_message' must be a text.", { code: 'invalid_system_message' });
  }
  const input: Content = readContent(body['message'] ?? body['input'], 'message');
  if (isEmpty(input))
    throw new HttpError(400, "Missing 'message' field", { code: 'missing_message', param: 'message' });
  const sessionId = await turns.liveId(row.id);
  if (turns.isBusy(sessionId)) throw busy(sessionId);
  return {
    sessionId,
    input,
    system,
    model: typeof model === 'string' ? model : (row.model ?? undefined),
    sessionKey: readSessionHeaders(headers).sessionKey ?? row.user_id ?? undefined,
  };
}

export async function chat(turn: TurnRequest, turns: Turns, signal: AbortSignal): Promise<Response> {
  const place = turns.admit({ limited: false });
  try {
    const { sessionId, result, usage } = await turns.run(turn, () => undefined, signal);
    const shortfall = shortfallOf(result);
    if (shortfall !== undefined && result.finalResponse === null) {
      throw incomplete(shortfall, sessionId, turn.sessionKey);
    }
    const message = { role: 'assistant', content: await turns.shown(result.finalResponse ?? '') };
    const body = {
      object: 'hermes.session.chat.completion',
      session_id: sessionId,
      message,
      usage: responsesUsage(usage),
    };
    return jsonAnswer(body, 200, {
      ...sessionHeaders(sessionId, turn.sessionKey),
      ...(shortfall === undefined ? {} : shortfallHeaders(shortfall)),
    });
  } finally {
    place.leave();
  }
}

export function chatStream(turn: TurnRequest, turns: Turns): Response {
  const place = turns.admit({ limited: false });
  const left = new AbortController();
  const stream = new EventStream({
    headers: sessionHeaders(turn.sessionId, turn.sessionKey),
    onLeft: () => left.abort(),
  });
  void run(new ChatEvents(stream, turn), { turn, turns, signal: left.signal, place });
  return stream.response;
}

interface Running {
  readonly turn: TurnRequest;
  readonly turns: Turns;
  readonly signal: AbortSignal;
  readonly place: Place;
}

async function run(events: ChatEvents, { turn, turns, signal, place }: Running): Promise<void> {
  try {
    const outcome = await turns.run(turn, (event) => events.hear(event), signal);
    events.finish(outcome, await turns.shown(outcome.result.finalResponse ?? ''));
  } catch (error) {
    events.fail(error);
  } finally {
    place.leave();
  }
}

class ChatEvents {
  readonly #stream: EventStream;
  readonly #runId = newId('run', 32);
  readonly #messageId = newId('msg', 24);
  readonly #text = new AnswerText();
  readonly #started = new Map<string, JsonObject>();
  #sessionId: string;
  /** Of the last event; the first is 1, as in the original. */
  #seq = 0;

  constructor(stream: EventStream, { sessionId, input }: TurnRequest) {
    this.#stream = stream;
    this.#sessionId = sessionId;
    this.#send('run.started', { user_message: { role: 'user', content: input } });
    this.#send('message.started', { message: { id: this.#messageId, role: 'assistant' } });
  }

  hear(event: AgentEvent): void {
    this.#say(this.#text.take(event));
    switch (event.type) {
      case 'session_moved':
        this.#sessionId = event.to;
        return;
      case 'reasoning_delta':
        return this.#sendOfMessage('tool.progress', { tool_name: '_thinking', delta: event.text });
      case 'tool_started': {
        const { name, preview, written: args, callId } = event;
        const call: JsonObject = { tool_name: name, tool_call_id: callId, preview, args };
        this.#started.set(callId, call);
        return this.#sendOfMessage('tool.started', call);
      }
      case 'tool_finished': {
        const call = this.#started.get(event.callId) ?? { tool_name: event.name, tool_call_id: event.callId };
        this.#started.delete(event.callId);
        return this.#sendOfMessage(event.outcome === 'ok' ? 'tool.completed' : 'tool.failed', call);
      }
      default:
        return;
    }
  }

  /** `content`: the whole answer as its reader is to see it. */
  finish({ result, usage, history, sessionId }: TurnOutcome, content: string): void {
    this.#say(this.#text.finish(result));
    this.#sessionId = sessionId;
    const shortfall = shortfallOf(result);
    this.#sendOfMessage('assistant.completed', {
      content,
      completed: shortfall === undefined,
      partial: shortfall?.partial ?? false,
      interrupted: result.ended === 'interrupted',
    });
    if (shortfall?.failed === true) this.#send('error', { message: shortfall.error });
    else {
      this.#send('run.completed', { messages: turnObjects(history), usage: responsesUsage(usage) });
    }
    this.#end();
  }

  fail(error: unknown): void {
    this.#send('error', { message: maskKeys(errorMessage(error)) });
    this.#end();
  }

  #end(): void {
    this.#send('done', {});
    this.#stream.end();
  }

  #say(delta: string): void {
    if (delta !== '') this.#sendOfMessage('assistant.delta', { delta });
  }

  #sendOfMessage(event: string, data: object): void {
    this.#send(event, { message_id: this.#messageId, ...data });
  }

  #send(event: string, data: object): void {
    this.#seq += 1;
    const head = { session_id: this.#sessionId, run_id: this.#runId, seq: this.#seq, ts: Date.now() / 1000 };
    this.#stream.send({ event, data: { ...head, ...data } });
  }
}
