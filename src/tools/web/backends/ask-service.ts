/** Asks a service that the owner set up, within bounds, and says in one line what went wrong. */
import type * as z from 'zod';
import type { GatewayDoor } from '../../../config/tool-gateway.ts';
import { readBytes } from '../../../lib/bounded.ts';
import { errorCode, errorMessage, UserError } from '../../../lib/errors.ts';
import { isJsonObject, parseJson } from '../../../lib/json.ts';
import { maskKeys } from '../../../lib/secrets.ts';
import type { WebAccess } from '../web-access.ts';

export interface ServiceCall {
  /** For messages. */
  readonly name: string;
  readonly url: string;
  /** Default: POST with a body, else GET. */
  readonly method?: 'PATCH' | 'DELETE';
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as JSON. A text is sent as a form. */
  readonly body?: object | string;
  readonly timeoutMs: number;
  /** It is asked through this. */
  readonly gateway?: GatewayDoor | undefined;
}

interface ServiceRequest {
  readonly access: Pick<WebAccess, 'fetch'>;
  readonly signal: AbortSignal;
}

/** A status that is no success; `message` says what the service told about it. */
export class ServiceRefusal extends UserError {
  readonly status: number;

  constructor(name: string, status: number, told: string) {
    super(`${name} answered with status ${status}${told === '' ? '' : `: ${told}`}.`);
    this.status = status;
  }
}

const maxAnswerBytes = 20_000_000;
const maxToldChars = 300;

/**
 * The answer as `schema` reads it. Throws the signal's reason when it aborts, `ServiceRefusal` for a status that is no
 * success, and `UserError` for everything else.
 */
export async function askService<Schema extends z.ZodType>(
  call: ServiceCall,
  schema: Schema,
  request: ServiceRequest,
): Promise<z.infer<Schema>> {
  const { text } = await askForText(call, request);
  const parsed = schema.safeParse(parseJson(text));
  if (parsed.success) return parsed.data;
  throw new UserError(`${call.name} answered with something that cannot be read.`);
}

/** The same for an answer that is no JSON. */
export async function askForText(
  call: ServiceCall,
  request: ServiceRequest,
): Promise<{ readonly status: number; readonly text: string }> {
  const { status, bytes } = await askForBytes(call, request);
  return { status, text: bytes.toString('utf8') };
}

/** The same for an answer that is no text. */
export async function askForBytes(
  { name, url, method, headers = {}, body, timeoutMs, gateway }: ServiceCall,
  { access, signal }: ServiceRequest,
): Promise<{ readonly status: number; readonly bytes: Buffer }> {
  const deadline = AbortSignal.timeout(timeoutMs);
  const isForm = typeof body === 'string';
  const type = isForm ? 'application/x-www-form-urlencoded' : 'application/json';
  try {
    const answer = await access.fetch(url, {
      ...(method === undefined ? {} : { method }),
      ...(body === undefined ? {} : { method: method ?? 'POST', body: isForm ? body : JSON.stringify(body) }),
      headers: { ...(body === undefined ? {} : { 'content-type': type }), ...headers },
      signal: AbortSignal.any([signal, deadline]),
    });
    const bytes = await readBytes(answer, maxAnswerBytes);
    if (bytes === undefined) throw new UserError(`${name} answered with more than ${maxAnswerBytes / 1e6} MB.`);
    if (!answer.ok) {
      // Of no shape that is known, it would be told otherwise.
      const secrets = gateway === undefined ? [] : Object.values(headers).map((value) => value.replace('Bearer ', ''));
      const told = toldIn(bytes.toString('utf8'), secrets);
      const refusal = gateway?.refusal(answer.status, told);
      throw refusal === undefined
        ? new ServiceRefusal(name, answer.status, told)
        : new UserError(`${name}: ${refusal}`);
    }
    return { status: answer.status, bytes };
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof UserError) throw error;
    const reason = deadline.aborted
      ? `there was no whole answer within ${timeoutMs / 1000} seconds`
      : (errorCode(error) ?? maskKeys(errorMessage(error)));
    throw new UserError(`Could not ask ${name}: ${reason}.`, { cause: error });
  }
}

/** What an error says of itself, in one line without keys. */
function toldIn(text: string, secrets: readonly string[]): string {
  const value = parseJson(text);
  const told = isJsonObject(value) ? messageOf(value) : text;
  return maskKeys(
    told
      .replace(/<[^>]*>/g, ' ')
      .replace(/\s+/g, ' ')
      .trim()
      .slice(0, maxToldChars),
    secrets,
  ).replace(/\.$/, '');
}

function messageOf(value: Readonly<Record<string, unknown>>): string {
  for (const name of ['error', 'message', 'detail']) {
    const told = value[name];
    if (typeof told === 'string') return told;
    if (isJsonObject(told)) return messageOf(told);
  }
  return JSON.stringify(value);
}

/** The address of an API below a base that may end in a slash. */
export function below(base: string, path: string): string {
  return `${base.replace(/\/+$/, '')}${path}`;
}
