/** JSON-RPC with one server: bounded in what it sends and in how long it is waited for. */
import type { CancellationToken, MessageConnection } from 'vscode-jsonrpc/node';
import { errorMessage } from '../../lib/errors.ts';
import type { TalkingProgram } from '../../environments/local/talking-program.ts';
import { FrameGuard, type FrameLimits } from './frame-guard.ts';
import { untilAborted } from './until-aborted.ts';

/** What a server may send: the largest reports of whole projects stay far below. */
const frameLimits: FrameLimits = { message: 8 * 1024 * 1024, total: 64 * 1024 * 1024 };

export interface ServerConnection {
  /** Rejects when `signal` aborts, with its reason, and when the connection ends. */
  request(method: string, params: object | undefined, signal: AbortSignal): Promise<unknown>;
  notify(method: string, params: object): void;
  onNotification(method: string, listener: (params: unknown) => void): void;
  onRequest(method: string, answer: (params: unknown) => unknown): void;
  /** To be called when everybody listens. */
  listen(): void;
  /** Resolves once, with the reason. */
  readonly ended: Promise<string>;
}

export async function connectServer(
  program: TalkingProgram,
  debug: (message: string) => void,
): Promise<ServerConnection> {
  const rpc = await import('vscode-jsonrpc/node');
  const guard = new FrameGuard(frameLimits);
  const ended = Promise.withResolvers<string>();
  const reader = new rpc.StreamMessageReader(guard);
  // Its timer would hold our process for as long as half a message is all there is.
  reader.partialMessageTimeout = 0;
  const connection: MessageConnection = rpc.createMessageConnection(
    reader,
    new rpc.StreamMessageWriter(program.input),
    { error: debug, warn: debug, info: debug, log: debug },
  );
  guard.on('error', (error) => ended.resolve(`it sent ${error.message}`));
  connection.onError(([error]) => ended.resolve(errorMessage(error)));
  connection.onClose(() => ended.resolve('it closed its output'));
  void program.exited.then((code) => ended.resolve(`it ended with ${code}`));
  let reason: string | undefined;
  void ended.promise.then((why) => {
    reason = why;
    // What it still sends goes nowhere, and must not fill a pipe.
    program.output.unpipe(guard);
    program.output.resume();
    connection.dispose();
  });
  program.output.pipe(guard);
  return {
    ended: ended.promise,
    async request(method, params, signal) {
      signal.throwIfAborted();
      guard.refill();
      const asked = new rpc.CancellationTokenSource();
      const onAbort = (): void => asked.cancel();
      signal.addEventListener('abort', onAbort, { once: true });
      try {
        return await untilAborted(send(connection, method, params, asked.token), signal);
      } catch (error) {
        // When the connection ends, so does what was asked over it, with an error that says no more than that.
        throw reason === undefined ? error : new Error(reason, { cause: error });
      } finally {
        signal.removeEventListener('abort', onAbort);
        asked.dispose();
      }
    },
    notify(method, params) {
      const failed = (error: unknown): void => ended.resolve(`it takes no messages: ${errorMessage(error)}`);
      try {
        connection.sendNotification(method, params).catch(failed);
      } catch (error) {
        failed(error);
      }
    },
    onNotification: (method, listener) => void connection.onNotification(method, listener),
    onRequest: (method, answer) => void connection.onRequest(method, answer),
    listen: () => connection.listen(),
  };
}

async function send(
  connection: MessageConnection,
  method: string,
  params: object | undefined,
  token: CancellationToken,
): Promise<unknown> {
  // `undefined` would be sent as a parameter, which a method without any refuses.
  return params === undefined
    ? await connection.sendRequest<unknown>(method, token)
    : await connection.sendRequest<unknown>(method, params, token);
}
