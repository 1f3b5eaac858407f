/** Listens for what Telegram delivers by itself. https://core.telegram.org/bots/api#setwebhook */
import { createHash, timingSafeEqual } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { errorCode } from '../../../lib/errors.ts';
import { parseJson } from '../../../lib/json.ts';
import type { Log } from '../../../lib/log.ts';
import { PlatformError } from '../../platform/platform-error.ts';

export interface WebhookOptions {
  readonly host: string;
  /** 0 is any that is free. */
  readonly port: number;
  /** Of the address that Telegram was given. */
  readonly path: string;
  readonly secret: string;
  /** Rejects when it could not be kept: Telegram delivers it again then. */
  readonly handle: (update: unknown) => Promise<void>;
  readonly log: Log;
}

export interface Webhook {
  readonly port: number;
  close(): Promise<void>;
}

/** Far above what an update may have. */
const maxBodyBytes = 1024 * 1024;
/** For a whole request; Node looks for those that are over at an interval. */
const times = { requestTimeout: 10_000, headersTimeout: 10_000, connectionsCheckingInterval: 2000 };
const maxConnections = 100;

export async function listen(options: WebhookOptions): Promise<Webhook> {
  const expected = digest(options.secret);
  // Updates are handled in the order in which they come.
  let last = Promise.resolve();
  const inTurn = async (update: unknown): Promise<void> => {
    const turn = last.then(() => options.handle(update));
    last = turn.catch(() => undefined);
    await turn;
  };
  const server = createServer(times, (request, response) => {
    answer(request, { ...options, expected, handle: inTurn }).then(
      (status) => finish(response, status),
      (error: unknown) => {
        options.log.debug('a request to the webhook broke off', error);
        response.destroy();
      },
    );
  });
  server.maxConnections = maxConnections;
  await open(server, options);
  const bound = server.address();
  return {
    port: typeof bound === 'object' && bound !== null ? bound.port : options.port,
    async close() {
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
      await last;
    },
  };
}

interface AnswerOptions extends WebhookOptions {
  readonly expected: Buffer;
}

/** The status; whoever does not know the secret learns nothing else, and costs nothing. */
async function answer(request: IncomingMessage, options: AnswerOptions): Promise<number> {
  const secret = request.headers['x-telegram-bot-api-secret-token'];
  if (typeof secret !== 'string' || !timingSafeEqual(digest(secret), options.expected)) return 401;
  if (URL.parse(request.url ?? '', 'http://localhost')?.pathname !== options.path) return 404;
  if (request.method !== 'POST') return 405;
  if (!/^application\/json\b/i.test(request.headers['content-type'] ?? '')) return 415;
  const body = await readBody(request);
  if (body === undefined) return 413;
  const update = parseJson(body);
  if (update === undefined) return 400;
  try {
    await options.handle(update);
    return 200;
  } catch (error) {
    options.log.error('a message could not be kept, and Telegram will deliver it again', error);
    return 503;
  }
}

async function readBody(request: IncomingMessage): Promise<string | undefined> {
  if (Number(request.headers['content-length'] ?? 0) > maxBodyBytes) return undefined;
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request) {
    const bytes = Buffer.from(chunk);
    size += bytes.length;
    if (size > maxBodyBytes) return undefined;
    chunks.push(bytes);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function finish(response: ServerResponse, status: number): void {
  // What was not read of a refused request is never read.
  if (status !== 200) response.setHeader('connection', 'close');
  response.writeHead(status).end();
}

/** Of equal length whatever was given. */
function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}

async function open(server: Server, { host, port }: WebhookOptions): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  server.once('error', reject).listen(port, host, resolve);
  try {
    await promise;
  } catch (error) {
    const why =
      errorCode(error) === 'EADDRINUSE' ? 'is taken' : `cannot be listened on (${errorCode(error) ?? 'unknown'})`;
    const message = `The port ${port} for Telegram's webhook ${why}. Choose another one with TELEGRAM_WEBHOOK_PORT, or stop what has it.`;
    throw new PlatformError('telegram_webhook_port', message, { retryable: true, cause: error });
  }
}
