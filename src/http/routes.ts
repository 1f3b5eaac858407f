/** What is mounted on an HTTP server: groups of routes, and how a route is asked. */
import type { JsonObject } from '../lib/json.ts';

/**
 * Who may ask. `key`: whoever has the key of the listener, checked before anything of the body is read. `own`: the route
 * finds out by itself, from a signature or a token of its own; it must refuse whatever it cannot tell. `everybody`: the
 * answer is for strangers too.
 */
export type RouteAccess = 'key' | 'own' | 'everybody';

/** A request, as far as the server has looked at it: its `Host`, its origin and its key are in order. */
export interface HttpRequest {
  readonly method: string;
  /** Without the query, and without a profile in front (`/p/<profile>/…`). */
  readonly path: string;
  readonly params: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  readonly headers: Headers;
  /** Where the connection comes from. */
  readonly address: string;
  /** Aborts when the connection closes before the answer is written. */
  readonly signal: AbortSignal;
  /**
   * The body as it came. Throws `HttpError` when it is larger than `maxBytes` (default: what the listener allows), is
   * compressed, or does not arrive in time. May be called once.
   */
  bytes(maxBytes?: number): Promise<Buffer>;
  /** Ends the connection with the answer unfinished, so that nobody takes what was written for the whole of it. */
  cut(): void;
  /** The body as a JSON object. Throws `HttpError` for anything else: no UTF-8, half a surrogate, nested too deep. */
  json(): Promise<JsonObject>;
}

export interface Route {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE';
  /** With `:name` for a part of it, as in `/api/sessions/:id`. */
  readonly path: string;
  readonly access: RouteAccess;
  /** May throw `HttpError`, and `UserError` for what is wrong with the request; anything else is told as a failure of the server. */
  handle(request: HttpRequest): Promise<Response>;
}

/**
 * A plug-in of the server. Its routes must not wait without a deadline, and must bound whatever they keep.
 *
 * @example
 * const group: RouteGroup = {
 *   name: 'ping',
 *   routes: [{ method: 'GET', path: '/ping', access: 'everybody', handle: async () => jsonAnswer({ pong: true }) }],
 *   drain: async () => undefined,
 * };
 */
export interface RouteGroup {
  /** For the log. */
  readonly name: string;
  readonly routes: readonly Route[];
  /**
   * The server stops: takes nothing new, lets finish what is under way, and ends it when `signal` aborts. Resolves when
   * nothing of the group runs any more.
   */
  drain(signal: AbortSignal): Promise<void>;
}
