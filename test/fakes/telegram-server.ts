/** The Bot API for tests, in its wire format: updates and offsets, webhooks, files, forms, and what it refuses. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { type Call, objectOf, numberOf, Refusal, robot, textOf, TelegramChats, type Upload } from './telegram-chats.ts';
import { freePort } from './free-port.ts';

export interface ApiRequest {
  readonly method: string;
  readonly args: Readonly<Record<string, unknown>>;
}

/** An answer that is given instead of the right one; `cut` does the work and breaks the connection. */
export type Fault =
  | {
      readonly status: number;
      readonly body?: string;
      readonly description?: string;
      readonly parameters?: Readonly<Record<string, number>>;
    }
  | 'cut';

export interface Update {
  readonly update_id: number;
  readonly [kind: string]: unknown;
}

const usualToken = '123456789:AAfake-token-of-the-test-bot-0123456789';

export class TelegramServer implements AsyncDisposable {
  readonly token: string;
  readonly chats = new TelegramChats();
  readonly requests: ApiRequest[] = [];
  readonly files = new Map<string, Upload>();
  /** Files that a server of one's own has on its disk. */
  readonly localPaths = new Map<string, string>();
  /** Texts with which presses were answered, by the id of the query. */
  readonly answers = new Map<string, string>();
  readonly pending: Update[] = [];
  readonly confirmed = new Set<number>();
  readonly #faults = new Map<string, Fault[]>();
  readonly #held = new Map<string, Promise<void>>();
  #webhook: { readonly url: string; readonly secret: string } | undefined;
  /** Where the webhook is really reached: nobody resolves its name here. */
  webhookAt: string | undefined;
  #allowed: readonly string[] = [];
  #nextUpdate = 5000;
  #server: Server | undefined;
  #port = 0;
  /** Ends the request that waits for updates, with the status that it is answered with. */
  #waiting: ((reason: 'update' | 'conflict') => void) | undefined;
  #delivering = Promise.resolve();

  constructor(token = usualToken) {
    this.token = token;
  }

  get url(): string {
    return `http://127.0.0.1:${this.#port}`;
  }

  get webhook(): { readonly url: string; readonly secret: string } | undefined {
    return this.#webhook;
  }

  async start(): Promise<void> {
    const server = createServer((request, response) => {
      response.on('error', () => {});
      this.#respond(request, response).catch(() => response.destroy());
    });
    this.#server = server;
    this.#port ||= await freePort();
    await new Promise<void>((resolve) => server.listen(this.#port, '127.0.0.1', resolve));
    this.#delivering = this.#delivering.then(() => this.#deliver());
  }

  async stop(): Promise<void> {
    const server = this.#server;
    this.#server = undefined;
    this.#waiting = undefined;
    server?.closeAllConnections();
    if (server !== undefined) await new Promise((resolve) => server.close(resolve));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
  }

  /** The next answers to a method, or to everything that sends (`*`). */
  fault(method: string, ...faults: readonly Fault[]): void {
    this.#faults.set(method, [...(this.#faults.get(method) ?? []), ...faults]);
  }

  /** The method is not answered before this has resolved. */
  hold(method: string, until: Promise<void>): void {
    this.#held.set(method, until);
  }

  /** Something has happened; resolves with the id of the update. */
  happen(kind: string, what: unknown): number {
    const update_id = (this.#nextUpdate += 1);
    this.bring({ update_id, [kind]: what });
    return update_id;
  }

  /** Puts an update into the line, once more if it was there before. */
  bring(update: Update): void {
    if (this.#allowed.length > 0 && !Object.keys(update).some((key) => this.#allowed.includes(key))) return;
    this.pending.push(update);
    this.#waiting?.('update');
    if (this.#webhook !== undefined) this.#delivering = this.#delivering.then(() => this.#deliver());
  }

  async #respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const [, kind, given, rest = ''] = /^\/(file\/)?bot([^/]+)\/(.+)$/.exec(request.url ?? '') ?? [];
    const body = await bodyOf(request);
    if (kind === 'file/') return this.#sendFile(response, given === this.token ? decodeURIComponent(rest) : '');
    const send = (status: number, answer: unknown): void => {
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(answer));
    };
    const refuse = ({ status, message, parameters }: Refusal): void =>
      send(status, {
        ok: false,
        error_code: status,
        description: message,
        ...(Object.keys(parameters).length === 0 ? {} : { parameters }),
      });
    const call = await callOf(request, body);
    this.requests.push({ method: rest, args: call.args });
    if (given === undefined || !/^\d+:[\w-]+$/.test(given)) return refuse(new Refusal(404, 'Not Found'));
    if (given !== this.token) return refuse(new Refusal(401, 'Unauthorized'));
    const fault = this.#nextFault(rest);
    if (typeof fault === 'object') {
      if (fault.body !== undefined) return void response.writeHead(fault.status).end(fault.body);
      return refuse(new Refusal(fault.status, fault.description ?? 'Internal Server Error', fault.parameters));
    }
    await this.#held.get(rest);
    try {
      const result = await this.#handle(rest, call, response);
      if (fault === 'cut') return void response.destroy();
      if (result === undefined) return refuse(new Refusal(404, 'Not Found'));
      send(200, { ok: true, result });
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      refuse(error);
    }
  }

  #nextFault(method: string): Fault | undefined {
    const own = this.#faults.get(method)?.shift();
    if (own !== undefined) return own;
    return /^(?:send(?!ChatAction)|editMessage)/.test(method) ? this.#faults.get('*')?.shift() : undefined;
  }

  async #handle(method: string, call: Call, response: ServerResponse): Promise<unknown> {
    const { args } = call;
    switch (method) {
      case 'getMe':
        return {
          ...robot,
          can_join_groups: true,
          can_read_all_group_messages: true,
          supports_inline_queries: false,
          ...this.chats.privateTopics,
        };
      case 'getUpdates':
        return await this.#getUpdates(args, response);
      case 'setWebhook':
        return this.#setWebhook(args);
      case 'deleteWebhook':
        if (args['drop_pending_updates'] === true) this.pending.length = 0;
        this.#webhook = undefined;
        return true;
      case 'getFile':
        return this.#getFile(args);
      case 'answerCallbackQuery': {
        const text = textOf(args['text']);
        if (text.length > 200) throw new Refusal(400, 'Bad Request: MESSAGE_TOO_LONG');
        this.answers.set(textOf(args['callback_query_id']), text);
        return true;
      }
      default:
        return this.chats.handle(method, call);
    }
  }

  async #getUpdates(args: Call['args'], response: ServerResponse): Promise<readonly Update[]> {
    if (this.#webhook !== undefined)
      throw new Refusal(
        409,
        "Conflict: can't use getUpdates method while webhook is active; use deleteWebhook to delete the webhook first",
      );
    this.#waiting?.('conflict');
    if (Array.isArray(args['allowed_updates'])) this.#allowed = args['allowed_updates'].map(String);
    const offset = numberOf(args['offset']);
    if (offset !== undefined) this.#confirm((update) => update.update_id < offset);
    const limit = numberOf(args['limit']) ?? 100;
    const timeout = numberOf(args['timeout']) ?? 0;
    if (this.pending.length === 0 && timeout > 0) await this.#wait(timeout, response);
    return this.pending.slice(0, limit);
  }

  async #wait(seconds: number, response: ServerResponse): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<'update' | 'conflict'>();
    const timer = setTimeout(resolve, seconds * 1000, 'update');
    response.once('close', () => resolve('update'));
    this.#waiting = resolve;
    const reason = await promise;
    clearTimeout(timer);
    if (this.#waiting === resolve) this.#waiting = undefined;
    if (reason === 'conflict')
      throw new Refusal(
        409,
        'Conflict: terminated by other getUpdates request; make sure that only one bot instance is running',
      );
  }

  #confirm(which: (update: Update) => boolean): void {
    for (const update of this.pending.filter(which)) {
      this.confirmed.add(update.update_id);
      this.pending.splice(this.pending.indexOf(update), 1);
    }
  }

  #setWebhook(args: Call['args']): true {
    const url = URL.parse(textOf(args['url']));
    if (url?.protocol !== 'https:')
      throw new Refusal(400, 'Bad Request: bad webhook: An HTTPS URL must be provided for webhook');
    if (!['', '443', '80', '88', '8443'].includes(url.port))
      throw new Refusal(400, 'Bad Request: bad webhook: Webhook can be set up only on ports 80, 88, 443 or 8443');
    const secret = textOf(args['secret_token']);
    if (!/^[\w-]{0,256}$/.test(secret))
      throw new Refusal(400, 'Bad Request: secret token contains unallowed characters');
    if (Array.isArray(args['allowed_updates'])) this.#allowed = args['allowed_updates'].map(String);
    if (args['drop_pending_updates'] === true) this.pending.length = 0;
    this.#webhook = { url: url.href, secret };
    this.#delivering = this.#delivering.then(() => this.#deliver());
    return true;
  }

  /** One after the other; what is not answered with success is delivered again. */
  async #deliver(): Promise<void> {
    for (
      let tries = 0;
      this.#server !== undefined && this.#webhook !== undefined && this.webhookAt !== undefined && tries < 500;
    ) {
      const [update] = this.pending;
      if (update === undefined) return;
      const status = await fetch(this.webhookAt, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          ...(this.#webhook.secret === '' ? {} : { 'x-telegram-bot-api-secret-token': this.#webhook.secret }),
        },
        body: JSON.stringify(update),
      }).then(
        (response) => response.status,
        () => 0,
      );
      if (status >= 200 && status < 300) this.#confirm(({ update_id }) => update_id === update.update_id);
      else {
        tries += 1;
        await new Promise((resolve) => setTimeout(resolve, 10));
      }
    }
  }

  #getFile(args: Call['args']): unknown {
    const id = textOf(args['file_id']);
    const file = this.files.get(id);
    const local = this.localPaths.get(id);
    if (local !== undefined) return { file_id: id, file_unique_id: id, file_path: local };
    if (file === undefined) throw new Refusal(400, 'Bad Request: wrong file_id or the file is temporarily unavailable');
    if (file.bytes.length > 20 * 1024 * 1024) throw new Refusal(400, 'Bad Request: file is too big');
    return { file_id: id, file_unique_id: id, file_size: file.bytes.length, file_path: `documents/${id}` };
  }

  #sendFile(response: ServerResponse, path: string): void {
    const file = this.files.get(path.replace(/^documents\//, ''));
    if (file === undefined)
      return void response.writeHead(404).end('{"ok":false,"error_code":404,"description":"Not Found"}');
    response.writeHead(200, { 'content-type': 'application/octet-stream' }).end(file.bytes);
  }
}

async function bodyOf(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  return Buffer.concat(chunks);
}

async function callOf(request: IncomingMessage, body: Buffer): Promise<Call> {
  const type = request.headers['content-type'] ?? '';
  if (body.length === 0) return { args: {}, uploads: {} };
  if (type.startsWith('application/json')) return { args: objectOf(body.toString('utf8')), uploads: {} };
  const form = await new Response(new Uint8Array(body), { headers: { 'content-type': type } }).formData();
  const args: Record<string, unknown> = {};
  const uploads: Record<string, Upload> = {};
  for (const [name, value] of form) {
    if (typeof value === 'string') args[name] = value;
    else uploads[name] = { name: value.name, bytes: await value.bytes() };
  }
  return { args, uploads };
}
