/** One command of the DevTools protocol, over a connection of its own. https://chromedevtools.github.io/devtools-protocol/ */
import * as z from 'zod';
import { UserError } from '../../lib/errors.ts';
import { type JsonObject, parseJson } from '../../lib/json.ts';
import { placeOf } from './cdp-endpoint.ts';

export interface CdpCommand {
  readonly endpoint: string;
  readonly method: string;
  readonly params: JsonObject;
  /** A target, or a frame of another origin, which is one too; absent: the browser itself. */
  readonly target?: string | undefined;
  readonly signal: AbortSignal;
}

export interface CdpAnswer {
  readonly result: JsonObject;
  readonly sessionId?: string;
}

const object = z.record(z.string(), z.json());
const answered = z.object({
  id: z.number(),
  result: object.optional(),
  error: z.object({ message: z.string() }).optional(),
});
const version = z.object({ webSocketDebuggerUrl: z.string() });
const attached = z.object({ sessionId: z.string() });

/** Throws `UserError` when nobody answers or the command fails, and the signal's reason when it aborts. */
export async function sendCdp({ endpoint, method, params, target, signal }: CdpCommand): Promise<CdpAnswer> {
  const socket = new WebSocket(await socketOf(endpoint, signal));
  try {
    await opened(socket, endpoint, signal);
    if (target === undefined) return { result: await send(socket, { id: 1, method, params }, signal) };
    const attach = { id: 1, method: 'Target.attachToTarget', params: { targetId: target, flatten: true } };
    const { sessionId } = attached.parse(await send(socket, attach, signal));
    return { sessionId, result: await send(socket, { id: 2, method, params, sessionId }, signal) };
  } finally {
    socket.close();
  }
}

async function socketOf(endpoint: string, signal: AbortSignal): Promise<string> {
  if (/^wss?:/i.test(endpoint)) return endpoint;
  const asked = await fetch(new URL('/json/version', endpoint), { signal }).catch(() => undefined);
  signal.throwIfAborted();
  const found = version.safeParse(await asked?.json().catch(() => undefined));
  if (!found.success) throw new UserError(`No browser answers at ${placeOf(endpoint)}.`);
  return found.data.webSocketDebuggerUrl;
}

async function opened(socket: WebSocket, endpoint: string, signal: AbortSignal): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  socket.addEventListener('open', () => resolve(), { once: true });
  socket.addEventListener('error', () => reject(new UserError(`No browser answers at ${placeOf(endpoint)}.`)), {
    once: true,
  });
  signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  await promise;
}

async function send(
  socket: WebSocket,
  command: JsonObject & { readonly id: number },
  signal: AbortSignal,
): Promise<JsonObject> {
  const { promise, resolve, reject } = Promise.withResolvers<JsonObject>();
  const hear = (event: { readonly data: unknown }): void => {
    const message = answered.safeParse(parseJson(typeof event.data === 'string' ? event.data : ''));
    // Events of the target come in between.
    if (!message.success || message.data.id !== command.id) return;
    const { error, result = {} } = message.data;
    if (error === undefined) resolve(result);
    else reject(new UserError(error.message));
  };
  const end = (): void => reject(signal.aborted ? signal.reason : new UserError('The browser closed the connection.'));
  socket.addEventListener('message', hear);
  socket.addEventListener('close', end);
  signal.addEventListener('abort', end);
  socket.send(JSON.stringify(command));
  try {
    return await promise;
  } finally {
    socket.removeEventListener('message', hear);
    socket.removeEventListener('close', end);
    signal.removeEventListener('abort', end);
  }
}
