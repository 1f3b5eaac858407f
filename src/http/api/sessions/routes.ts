/** `/api/sessions`: stored conversations, and turns in them. */
import { randomBytes } from 'node:crypto';
import { errorMessage, UserError } from '../../../lib/errors.ts';
import type { JsonObject } from '../../../lib/json.ts';
import type { Program } from '../../../runtime/program.ts';
import type { SessionStore } from '../../../sessions/session-store.ts';
import { HttpError, jsonAnswer } from '../../answers.ts';
import type { HttpRequest, Route } from '../../routes.ts';
import { readSwitch } from '../messages.ts';
import { checkSessionId } from '../session-headers.ts';
import { listedSession, messageObject, sessionObject, withSystemMessage } from '../session-rows.ts';
import { surface } from '../surface.ts';
import type { Turns } from '../turns.ts';
import { chat, chatStream, readChat } from './chat.ts';
import { sessionOf, storeOf } from './session-of.ts';

export interface SessionsParts {
  readonly program: Program;
  readonly turns: Turns;
}

export function sessionsRoutes(parts: SessionsParts): Route[] {
  const { program, turns } = parts;
  const path = '/api/sessions/:id';
  const store = (): SessionStore => storeOf(program);
  const change = { access: 'key' } as const;
  return [
    { ...change, method: 'GET', path: '/api/sessions', handle: (request) => list(request, store()) },
    { ...change, method: 'POST', path: '/api/sessions', handle: (request) => create(request, store()) },
    { ...change, method: 'GET', path, handle: async (request) => shown(store(), idOf(request)) },
    { ...change, method: 'PATCH', path, handle: (request) => update(request, store(), turns) },
    { ...change, method: 'DELETE', path, handle: (request) => remove(request, parts, store()) },
    { ...change, method: 'GET', path: `${path}/messages`, handle: (request) => messages(request, store(), turns) },
    { ...change, method: 'POST', path: `${path}/fork`, handle: (request) => fork(request, store(), turns) },
    {
      ...change,
      method: 'POST',
      path: `${path}/chat`,
      async handle(request) {
        const row = await sessionOf(store(), idOf(request));
        return await chat(await readChat(await request.json(), request, row, turns), turns, request.signal);
      },
    },
    {
      ...change,
      method: 'POST',
      path: `${path}/chat/stream`,
      async handle(request) {
        const row = await sessionOf(store(), idOf(request));
        return chatStream(await readChat(await request.json(), request, row, turns), turns);
      },
    },
  ];
}

function idOf({ params }: HttpRequest): string {
  return params['id'] ?? '';
}

async function shown(store: SessionStore, id: string, status = 200): Promise<Response> {
  return jsonAnswer({ object: 'hermes.session', session: sessionObject(await sessionOf(store, id)) }, status);
}

const maxListed = 200;

async function list({ query }: HttpRequest, store: SessionStore): Promise<Response> {
  const limit = Math.min(maxListed, numberOf(query, 'limit', 50));
  const offset = numberOf(query, 'offset', 0);
  const source = query.get('source') ?? '';
  const children = readSwitch(query.get('include_children') ?? undefined, 'include_children');
  // One more tells whether there are more.
  const found = await store.sessions.list({
    order: 'active',
    limit: limit + 1,
    offset,
    children,
    ...(source === '' ? {} : { source }),
  });
  const data = found.slice(0, limit).map(listedSession);
  return jsonAnswer({ object: 'list', data, limit, offset, has_more: found.length > limit });
}

function numberOf(query: URLSearchParams, name: string, fallback: number): number {
  const text = query.get(name) ?? '';
  if (text === '') return fallback;
  if (/^\d{1,9}$/.test(text)) return Number(text);
  throw new HttpError(400, `'${name}' must be a whole number of 0 or more.`, { code: 'invalid_request', param: name });
}

async function create(request: HttpRequest, store: SessionStore): Promise<Response> {
  const body = await request.json();
  const id = textOf(body, 'id') ?? textOf(body, 'session_id') ?? newId();
  checkSessionId(id);
  const system = body['system_prompt'] ?? '';
  if (typeof system !== 'string') {
    throw new HttpError(400, "'system_prompt' must be a text.", { code: 'invalid_system_prompt' });
  }
  const title = titleOf(body);
  if ((await store.sessions.get(id)) !== undefined) {
    throw new HttpError(409, `Session ${id} exists already.`, { code: 'session_exists' });
  }
  const model = textOf(body, 'model');
  const config = withSystemMessage(system);
  await store.sessions.create({
    id,
    source: surface,
    ...(model === undefined ? {} : { model }),
    ...(Object.keys(config).length === 0 ? {} : { modelConfig: config }),
  });
  if (title !== undefined) await setTitle(store, id, title).catch((error: unknown) => takeBack(store, id, error));
  return await shown(store, id, 201);
}

async function takeBack(store: SessionStore, id: string, error: unknown): Promise<never> {
  await store.maintenance.deleteSession(id);
  throw error;
}

async function update(request: HttpRequest, store: SessionStore, turns: Turns): Promise<Response> {
  const { id } = await sessionOf(store, idOf(request));
  const body = await request.json();
  const unknown = Object.keys(body).filter((name) => name !== 'title' && name !== 'end_reason');
  const reason = reasonOf(body);
  // Null takes it away.
  const title = body['title'] === null ? '' : titleOf(body);
  if (unknown.length > 0 || (title === undefined && reason === undefined)) {
    throw new HttpError(
      400,
      `Only title and end_reason can be changed${unknown.length > 0 ? `, not ${unknown.join(', ').slice(0, 200)}` : ''}.`,
      {
        code: 'unsupported_session_field',
      },
    );
  }
  if (title !== undefined) await setTitle(store, id, title);
  if (reason !== undefined) await turns.alone(id, () => store.sessions.end(id, reason));
  return await shown(store, id);
}

async function remove(request: HttpRequest, { turns }: SessionsParts, store: SessionStore): Promise<Response> {
  const { id } = await sessionOf(store, idOf(request));
  await turns.alone(id, () => store.maintenance.deleteSession(id));
  return jsonAnswer({ object: 'hermes.session.deleted', id, deleted: true });
}

/** Of the session in which the conversation goes on. */
async function messages(request: HttpRequest, store: SessionStore, turns: Turns): Promise<Response> {
  const { id } = await sessionOf(store, idOf(request));
  const live = await turns.liveId(id);
  const stored = await store.messages.list(live);
  return jsonAnswer({ object: 'list', session_id: live, data: stored.map((one) => messageObject(live, one)) });
}

/** The other conversation keeps all that was said until now, and its own prompt. */
async function fork(request: HttpRequest, store: SessionStore, turns: Turns): Promise<Response> {
  const body = await request.json();
  const asked = await sessionOf(store, idOf(request));
  const id = textOf(body, 'id') ?? newId();
  checkSessionId(id);
  const title = titleOf(body);
  if ((await store.sessions.get(id)) !== undefined) {
    throw new HttpError(409, `Session ${id} exists already.`, { code: 'session_exists' });
  }
  const live = await turns.liveId(asked.id);
  const child = await turns.alone(live, async () => {
    const { system_prompt: systemPrompt } = await sessionOf(store, live);
    const said = await store.messages.conversation(live);
    return await titled(() =>
      store.sessions.createChild(live, {
        id,
        messages: said,
        parentEndReason: 'branched',
        ...(systemPrompt === null ? {} : { systemPrompt }),
        ...(title === undefined ? {} : { title }),
      }),
    );
  });
  if (child.title === null) await store.sessions.giveTitle(child.id, 'fork');
  return await shown(store, child.id, 201);
}

function newId(): string {
  return `api_${Math.floor(Date.now() / 1000)}_${randomBytes(4).toString('hex')}`;
}

function textOf(body: JsonObject, name: string): string | undefined {
  const value = body[name];
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** Throws `HttpError` for what is there and no text. */
function reasonOf({ end_reason: reason }: JsonObject): string | undefined {
  if (reason === undefined || reason === null || reason === '') return undefined;
  if (typeof reason === 'string' && reason.length <= maxReasonChars) return reason;
  throw new HttpError(400, `'end_reason' must be a text of up to ${maxReasonChars} characters.`, {
    code: 'invalid_request',
    param: 'end_reason',
  });
}

const maxReasonChars = 200;

function titleOf(body: JsonObject): string | undefined {
  const title = body['title'];
  if (title === undefined || title === null) return undefined;
  if (typeof title === 'string') return title;
  throw new HttpError(400, "'title' must be a text.", { code: 'invalid_title', param: 'title' });
}

async function setTitle(store: SessionStore, id: string, title: string): Promise<void> {
  await titled(() => store.sessions.setTitle(id, title));
}

/** A title that cannot be had is the fault of the request. */
async function titled<T>(write: () => Promise<T>): Promise<T> {
  try {
    return await write();
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    throw new HttpError(400, errorMessage(error), { code: 'invalid_title', param: 'title', cause: error });
  }
}
