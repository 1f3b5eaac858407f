/** What a request for a chat completion asks for. */
import type { JsonObject } from '../../../lib/json.ts';
import type { HttpRequest } from '../../routes.ts';
import { type Asked, derivedSessionId, readMessages, readSwitch } from '../messages.ts';
import { fingerprint } from '../once-per-key.ts';
import { readSessionHeaders, type SessionHeaders } from '../session-headers.ts';
import type { TurnRequest, Turns } from '../turns.ts';

export interface ChatRequest {
  readonly asked: Asked;
  readonly headers: SessionHeaders;
  readonly stream: boolean;
  /** As the request names it, else the agent's own. */
  readonly model: string;
  /** Undefined for requests that may run twice. */
  readonly idempotencyKey: string | undefined;
  readonly fingerprint: string;
}

/** Throws `HttpError`. */
export function readChatRequest(body: JsonObject, { headers }: HttpRequest, modelName: string): ChatRequest {
  const { messages, model, tools, tool_choice: toolChoice, stream } = body;
  const session = readSessionHeaders(headers);
  const key = headers.get('idempotency-key')?.trim() ?? '';
  return {
    asked: readMessages(messages),
    headers: session,
    stream: readSwitch(stream, 'stream'),
    model: typeof model === 'string' && model !== '' ? model : modelName,
    idempotencyKey: key === '' ? undefined : JSON.stringify(['chat', key, session]),
    fingerprint: fingerprint([model, messages, tools, toolChoice, stream]),
  };
}

/**
 * A named session goes on from what is stored of it. One that is not named is found by how the conversation begins, and its
 * client tells what was said; when another conversation that began so is under way, it gets a session of its own.
 */
export async function turnOf(request: ChatRequest, turns: Turns): Promise<TurnRequest> {
  const { asked, headers, model } = request;
  const { system, input, history } = asked;
  const turn = { input, system, model, sessionKey: headers.sessionKey };
  if (headers.sessionId !== undefined) return { ...turn, sessionId: await turns.liveId(headers.sessionId) };
  const derived = await turns.liveId(derivedSessionId(asked, headers.sessionKey));
  return { ...turn, history, sessionId: turns.isBusy(derived) ? turns.newId() : derived };
}
