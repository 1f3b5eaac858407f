/** From a request that passed the door to the route that answers it. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { getConnInfo } from '@hono/node-server/conninfo';
import { getRequestListener, type HttpBindings } from '@hono/node-server';
import { type Context, Hono } from 'hono';
import { errorMessage, UserError } from '../lib/errors.ts';
import type { Log } from '../lib/log.ts';
import { errorAnswer, HttpError, jsonAnswer } from './answers.ts';
import { type CallerKey, requireKey } from './caller-key.ts';
import { profilePath } from './profile-path.ts';
import { type BodyLimits, type BodyRoom, parseJsonBody, readRequestBody } from './request-body.ts';
import type { HttpRequest, Route, RouteGroup } from './routes.ts';

export interface ListenerOptions {
  readonly groups: readonly RouteGroup[];
  readonly key: CallerKey | undefined;
  /** Whose agent answers; others are not found here. */
  readonly profile: string;
  readonly body: BodyLimits;
  readonly room: BodyRoom;
  readonly log: Log;
}

type Environment = { Bindings: HttpBindings };

export function routeListener(
  options: ListenerOptions,
): (incoming: IncomingMessage, outgoing: ServerResponse) => unknown {
  const app = new Hono<Environment>({ getPath: (request) => profilePath(request.url).path });
  for (const group of options.groups) {
    for (const route of group.routes) {
      app.on(route.method, route.path, (context) => answer(context, route, options));
    }
  }
  app.notFound((context) => errorAnswer(404, `There is no ${context.req.method} ${pathOf(context)} here.`));
  app.onError((error, context) => {
    options.log.error(`${context.req.method} ${pathOf(context)} could not be taken`, error);
    return errorAnswer(500, 'The server failed; its log says more.');
  });
  return getRequestListener(app.fetch, { overrideGlobalObjects: false, hostname: 'localhost' });
}

async function answer(context: Context<Environment>, route: Route, options: ListenerOptions): Promise<Response> {
  const startedAt = performance.now();
  const response = await respond(context, route, options);
  const took = (performance.now() - startedAt).toFixed(0);
  options.log.debug(`${context.req.method} ${pathOf(context)} ${response.status} ${took} ms`);
  return response;
}

async function respond(context: Context<Environment>, route: Route, options: ListenerOptions): Promise<Response> {
  try {
    if (route.access === 'key') await admit(context, options);
    const { profile = options.profile } = profilePath(context.req.raw.url);
    if (profile !== options.profile) return jsonAnswer({ error: 'Unknown or unconfigured profile' }, 404);
    return await route.handle(new IncomingRequest(context, options));
  } catch (error) {
    if (error instanceof HttpError) {
      if (error.status >= 500) options.log.warning(`${context.req.method} ${pathOf(context)}`, error);
      return error.answer();
    }
    if (error instanceof UserError) return errorAnswer(400, said(error), { code: 'invalid_request' });
    // Nobody reads it.
    if (context.req.raw.signal.aborted) return errorAnswer(clientClosedRequest, 'The request broke off.');
    options.log.error(`${context.req.method} ${pathOf(context)} failed`, error);
    return errorAnswer(500, 'The server failed; its log says more.');
  }
}

async function admit(context: Context<Environment>, { key, log }: ListenerOptions): Promise<void> {
  try {
    if (key === undefined) throw new HttpError(401, 'Invalid API key', { code: 'invalid_api_key' });
    await requireKey(context.req.raw.headers.get('authorization'), key);
  } catch (error) {
    log.warning(`${context.req.method} ${pathOf(context)} from ${addressOf(context)}: ${errorMessage(error)}`);
    throw error;
  }
}

/** As proxies call it; it has no name in the standard. */
const clientClosedRequest = 499;

function said({ message, hint }: UserError): string {
  return hint === undefined ? message : `${message} ${hint}`;
}

function pathOf(context: Context<Environment>): string {
  return profilePath(context.req.raw.url).path.slice(0, 200);
}

function addressOf(context: Context<Environment>): string {
  return getConnInfo(context).remote.address ?? 'nowhere';
}

class IncomingRequest implements HttpRequest {
  readonly method: string;
  readonly path: string;
  readonly params: Readonly<Record<string, string>>;
  readonly headers: Headers;
  readonly #context: Context<Environment>;
  readonly #options: ListenerOptions;

  constructor(context: Context<Environment>, options: ListenerOptions) {
    this.method = context.req.method;
    this.path = profilePath(context.req.raw.url).path;
    this.params = context.req.param();
    this.headers = context.req.raw.headers;
    this.#context = context;
    this.#options = options;
  }

  get query(): URLSearchParams {
    return URL.parse(this.#context.req.raw.url)?.searchParams ?? new URLSearchParams();
  }

  get address(): string {
    return addressOf(this.#context);
  }

  get signal(): AbortSignal {
    return this.#context.req.raw.signal;
  }

  cut(): void {
    this.#context.env.outgoing.destroy();
  }

  async bytes(maxBytes = this.#options.body.maxBytes): Promise<Buffer> {
    const { incoming } = this.#context.env;
    return await readRequestBody(incoming, { ...this.#options.body, maxBytes }, this.#options.room);
  }

  async json() {
    return parseJsonBody(await this.bytes());
  }
}
