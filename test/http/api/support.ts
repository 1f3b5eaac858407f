/** A running API server on a program whose model is a fake one. */
import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import * as z from 'zod';
import type { Program } from '../../../src/runtime/program.ts';
import { type ApiServerOptions, startApiServer } from '../../../src/http/api/start-api-server.ts';
import type { HttpServer } from '../../../src/http/server.ts';
import type { SessionStore } from '../../../src/sessions/session-store.ts';
import { type ModelServer, startModelServer } from '../../fakes/model-server.ts';
import { type Place, placeFor, type PlaceOptions } from '../../runtime/support.ts';

export const key = 'k-0123456789abcdef';

export interface Api {
  readonly place: Place;
  readonly program: Program;
  readonly store: SessionStore;
  readonly model: ModelServer;
  readonly server: HttpServer;
  readonly url: string;
  /** With the key. */
  readonly ask: (path: string, init?: Asked) => Promise<Response>;
  readonly post: (path: string, body: unknown, headers?: Readonly<Record<string, string>>) => Promise<Response>;
}

type Asked = Omit<RequestInit, 'headers'> & { readonly headers?: Readonly<Record<string, string>> };

export interface ApiOptions extends PlaceOptions, ApiServerOptions {
  /** Below `platforms.api_server.extra`, as YAML on one line. */
  readonly extra?: string;
  /** More of `config.yaml`. */
  readonly config?: string;
  /** Makes what `shown` is of the program. */
  readonly media?: (program: Program) => NonNullable<ApiServerOptions['shown']>;
  /** What the model answers when nothing is scripted. */
  readonly respond?: NonNullable<Parameters<typeof startModelServer>[0]>['respond'];
}

/** Listens on a free port; stopped after the test. */
export async function startApi(t: TestContext, options: ApiOptions = {}): Promise<Api> {
  const { extra = '{}', config = '', gateway, shown, drainMs = 0, respond, media, others, ...placeOptions } = options;
  const model = await startModelServer(respond === undefined ? {} : { respond });
  t.after(() => model.close());
  const place = placeFor(t, model, apiConfig(extra) + config, placeOptions);
  const program = await place.open();
  const server = await startApiServer(program, undefined, {
    drainMs,
    ...(gateway && { gateway }),
    ...(others && { others }),
    ...(media && { shown: media(program) }),
    ...(shown && { shown }),
  });
  t.after(() => server.stop());
  const { store } = program;
  assert.ok(store !== undefined);
  const ask: Api['ask'] = (path, init = {}) =>
    fetch(server.url + path, { ...init, headers: { authorization: `Bearer ${key}`, ...init.headers } });
  return {
    place,
    program,
    store,
    model,
    server,
    url: server.url,
    ask,
    post: (path, body, headers = {}) =>
      ask(path, {
        method: 'POST',
        body: JSON.stringify(body),
        headers: { 'content-type': 'application/json', ...headers },
      }),
  };
}

/** With a key and a free port, unless `extra` says otherwise. */
export function apiConfig(extra: string): string {
  return `platforms:\n  api_server:\n    extra: ${extra.replace(/^\{/, `{key: ${key}, port: 0, `).replace(/, \}$/, '}')}\n`;
}

/** One event of a stream. */
export interface Sent {
  readonly event: string | undefined;
  readonly id: string | undefined;
  readonly data: string;
}

/** All events of a stream until it ends. */
export async function eventsOf(response: Response): Promise<Sent[]> {
  return parseEvents(await response.text());
}

function parseEvents(text: string): Sent[] {
  return text
    .split('\n\n')
    .filter((block) => block !== '' && !block.startsWith(':'))
    .map((block) => {
      const field = (name: string) =>
        block
          .split('\n')
          .find((line) => line.startsWith(`${name}: `))
          ?.slice(name.length + 2);
      return { event: field('event'), id: field('id'), data: field('data') ?? '' };
    });
}

/** Waits until it holds; the test's own time limit ends a wait for what never comes. */
export async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await holds())) await sleep(10);
}

/** Whatever JSON an answer holds. */
export async function jsonOf<Shape extends z.ZodType>(
  response: Response | Promise<Response>,
  shape: Shape,
): Promise<z.infer<Shape>> {
  return shape.parse(await (await response).json());
}

/** The code of an error. */
export async function codeOf(response: Response): Promise<string | null> {
  return (await jsonOf(response, z.object({ error: z.object({ code: z.string().nullable() }) }))).error.code;
}
