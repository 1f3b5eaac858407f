/** One request to the provider: sent within its deadlines, its answer handed on as it comes. */
import type { ClientRequest, IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import { errorMessage } from '../../lib/errors.ts';
import { HttpError } from '../answers.ts';
import type { Connections } from '../../lib/connections.ts';

export interface UpstreamDeadlines {
  /** Milliseconds until there is a connection. */
  readonly connectMs: number;
  /** Milliseconds of silence: before the answer begins, and within it. */
  readonly silenceMs: number;
}

export interface UpstreamRequest {
  readonly method: string;
  readonly url: string;
  /** They hold the secret. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

/** The head of the answer; its body is read by the caller. Throws `HttpError` for a provider that is not reached or silent. */
export async function sendUpstream(
  connections: Connections,
  { method, url, headers, body }: UpstreamRequest,
  { connectMs, silenceMs }: UpstreamDeadlines,
  signal: AbortSignal,
): Promise<IncomingMessage> {
  const sent = body.length === 0 ? headers : { ...headers, 'content-length': String(body.length) };
  let connecting: NodeJS.Timeout | undefined;
  const begun = (request: ClientRequest): void => {
    const tooLate = (what: string) => () => void request.destroy(new UpstreamSilent(what));
    clearTimeout(connecting);
    connecting = setTimeout(tooLate('did not take the connection in time'), connectMs);
    request.once('socket', (socket) => {
      if (socket.connecting) socket.once('connect', () => clearTimeout(connecting));
      else clearTimeout(connecting);
    });
    request.setTimeout(silenceMs, tooLate('was silent for too long'));
  };
  const bodyOf = body.length === 0 ? {} : { body: () => Readable.from([body]) };
  try {
    return await connections.send({ method, url, headers: sent, ...bodyOf }, signal, begun);
  } catch (error) {
    signal.throwIfAborted();
    throw failureOf(error);
  } finally {
    clearTimeout(connecting);
  }
}

/** A provider that is there and says nothing. */
class UpstreamSilent extends Error {
  override readonly name = 'UpstreamSilent';
}

function failureOf(error: unknown): HttpError {
  if (error instanceof UpstreamSilent) {
    return new HttpError(504, `The provider ${error.message}.`, { code: 'upstream_timeout', cause: error });
  }
  return new HttpError(502, `The provider cannot be reached: ${errorMessage(error)}`, {
    code: 'upstream_unreachable',
    cause: error,
  });
}
