/** Asks a service that makes pictures or videos, with its key, within bounds. */
import { randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import type { GatewayDoor } from '../../config/tool-gateway.ts';
import type { Connections } from '../../lib/connections.ts';
import { errorMessage, UserError } from '../../lib/errors.ts';
import { isJsonObject, type JsonObject, type JsonValue, parseJson } from '../../lib/json.ts';
import { maskKeys } from '../../lib/secrets.ts';
import { readBody } from '../web/read-body.ts';

export interface Service {
  /** As people call it. */
  readonly name: string;
  /** Without a slash at its end. */
  readonly baseUrl: string;
  /** Empty where it is asked through the gateway. */
  readonly key: string;
  /** Its token stands for the key. */
  readonly gateway?: GatewayDoor;
  /** Stands for the address and the key; undefined when it is no good any more. */
  readonly login?: (signal: AbortSignal) => Promise<MediaLogin | undefined>;
  readonly connections: Pick<Connections, 'send'>;
}

export interface MediaLogin {
  /** Without a slash at its end. */
  readonly baseUrl: string;
  readonly key: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** To be told once how a request with it went: true when the next login is another one to try. */
  report(outcome: 'ok' | { readonly reason: string; readonly status?: number }, signal: AbortSignal): Promise<boolean>;
}

export interface ServiceRequest {
  /** Default: POST with a body, GET without. */
  readonly method?: string;
  readonly body?: JsonObject | FormData;
  /** How the key is called in the authorization header; default: `Bearer`. */
  readonly scheme?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Default: 120,000. */
  readonly timeoutMs?: number;
}

/** A picture as base64 is a third longer. */
const maxAnswerBytes = 80 * 1024 * 1024;
const maxTold = 300;

/**
 * What it answered. `path` begins with a slash. Throws `ServiceError` with a line for people, the key masked, and the signal's
 * reason. Nothing that costs is sent twice.
 */
export async function askService(
  service: Service,
  path: string,
  request: ServiceRequest,
  signal: AbortSignal,
): Promise<JsonObject> {
  const read = parseJson(await askForText(service, path, request, signal));
  if (!isJsonObject(read)) throw new ServiceError(`${service.name} answered with something that cannot be read.`);
  return read;
}

/** The same, as it came. A login that is refused is renewed once. */
export async function askForText(
  service: Service,
  path: string,
  request: ServiceRequest,
  signal: AbortSignal,
): Promise<string> {
  if (service.login === undefined) return await askOnce(service, path, request, signal);
  for (let attempt = 0; ; attempt += 1) {
    const login = await service.login(signal);
    if (login === undefined)
      throw new ServiceError(`${service.name}: its login has ended; log in anew with \`hermes auth add\`.`);
    const { baseUrl, key } = login;
    const headers = { ...login.headers, ...request.headers };
    try {
      const answered = await askOnce({ ...service, baseUrl, key }, path, { ...request, headers }, signal);
      await login.report('ok', signal);
      return answered;
    } catch (error) {
      signal.throwIfAborted();
      const status = error instanceof ServiceError ? error.status : undefined;
      const told = { reason: errorMessage(error), ...(status === undefined ? {} : { status }) };
      if (!(await login.report(told, signal)) || status !== 401 || attempt > 0) throw error;
    }
  }
}

async function askOnce(service: Service, path: string, request: ServiceRequest, signal: AbortSignal): Promise<string> {
  const { name, baseUrl, gateway, connections } = service;
  const { timeoutMs = 120_000, scheme = 'Bearer' } = request;
  const key = gateway === undefined ? service.key : await gateway.token(signal);
  const deadline = AbortSignal.timeout(timeoutMs);
  const { headers, body } = await packed(request.body);
  try {
    const answer = await connections.send(
      {
        url: baseUrl + path,
        method: request.method ?? (request.body === undefined ? 'GET' : 'POST'),
        headers: {
          'user-agent': 'hermes-agent',
          authorization: `${scheme} ${key}`,
          // One call is paid for once.
          ...(gateway === undefined || body === undefined ? {} : { 'x-idempotency-key': randomUUID() }),
          ...headers,
          ...request.headers,
        },
        once: true,
        ...(body === undefined ? {} : { body: () => Readable.from([body]) }),
      },
      AbortSignal.any([signal, deadline]),
    );
    const text = Buffer.from(await readBody(answer, maxAnswerBytes)).toString('utf8');
    const status = answer.statusCode ?? 0;
    if (status < 200 || status > 299) throw refused(service, status, told(parseJson(text), text));
    return text;
  } catch (cause) {
    signal.throwIfAborted();
    const why = deadline.aborted ? `${name} did not answer within ${timeoutMs / 1000} seconds.` : errorMessage(cause);
    const status = cause instanceof ServiceError ? cause.status : undefined;
    throw new ServiceError(maskKeys(why, [key]), status, cause);
  }
}

/** A service did not make what it was asked for. */
export class ServiceError extends UserError {
  override readonly name = 'ServiceError';
  readonly status: number | undefined;

  constructor(message: string, status?: number, cause?: unknown) {
    super(message, cause === undefined ? {} : { cause });
    this.status = status;
  }
}

function refused({ name, gateway }: Service, status: number, said: string): ServiceError {
  const refusal = gateway?.refusal(status, said);
  return new ServiceError(
    refusal === undefined ? `${name} refused it (status ${status}): ${said}` : `${name}: ${refusal}`,
    status,
  );
}

async function packed(
  body: ServiceRequest['body'],
): Promise<{ readonly headers: Readonly<Record<string, string>>; readonly body?: Buffer }> {
  if (body === undefined) return { headers: {} };
  if (!(body instanceof FormData)) {
    const text = Buffer.from(JSON.stringify(body));
    return { headers: { 'content-type': 'application/json', 'content-length': String(text.length) }, body: text };
  }
  const form = new Response(body);
  const bytes = Buffer.from(await form.arrayBuffer());
  const type = form.headers.get('content-type') ?? '';
  return { headers: { 'content-type': type, 'content-length': String(bytes.length) }, body: bytes };
}

function told(read: JsonValue | undefined, text: string): string {
  const error = isJsonObject(read) ? (read['error'] ?? read['detail'] ?? read['message']) : undefined;
  const message = isJsonObject(error) ? error['message'] : error;
  const said = typeof message === 'string' ? message : error === undefined ? text : JSON.stringify(error);
  return said.replace(/\s+/g, ' ').trim().slice(0, maxTold).toWellFormed();
}
