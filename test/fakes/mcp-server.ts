/**
 * A tool server that speaks the wire format of MCP over its input and output, without a library: what it does and how it
 * misbehaves stands in its one argument, as JSON.
 *
 *   node test/fakes/mcp-server.ts '{"tools":[{"name":"echo"}]}'
 */
import { spawn } from 'node:child_process';
import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';

export interface FakeTool {
  readonly name: string;
  readonly description?: string;
  /** What it says of itself besides; believed by nobody. */
  readonly annotations?: object;
  readonly _meta?: object;
  /** As it is listed; `null`: none. */
  readonly inputSchema?: unknown;
}

export interface FakeServer {
  readonly tools?: readonly FakeTool[];
  /** Read anew with each listing, in the place of `tools`. */
  readonly toolsFile?: string;
  readonly pageSize?: number;
  readonly capabilities?: Record<string, unknown>;
  /** Answers nothing at all. */
  readonly silent?: boolean;
  /** Its list of resources has always one more page, its prompts more messages than anybody reads. */
  readonly endless?: boolean;
  /** Milliseconds before each page of resources. */
  readonly pageMs?: number;
  /** Refuses to list its tools, in these words. */
  readonly refuses?: string;
  /** Writes lines that are no messages. */
  readonly junk?: boolean;
  readonly ignoresSignals?: boolean;
  /** Starts a process that outlives it, in a session of its own; its pid goes into this file. */
  readonly forks?: string;
  /** Every pid of the server itself goes into this file. */
  readonly pids?: string;
  /** Gets a dot for each listing of tools. */
  readonly listed?: string;
  /** Ends itself so many milliseconds after the start. */
  readonly diesAfter?: number;
  /** Ends at once while this file is there. */
  readonly brokenWhile?: string;
}

/** The pids that were written into a file. */
export function pidsIn(file: string): readonly number[] {
  if (!existsSync(file)) return [];
  return readFileSync(file, 'utf8').trim().split('\n').map(Number);
}

type Json = Record<string, unknown>;

function serve(fake: FakeServer): void {
  if (fake.pids !== undefined) appendFileSync(fake.pids, `${process.pid}\n`);
  if (fake.brokenWhile !== undefined && existsSync(fake.brokenWhile)) process.exit(3);
  if (fake.ignoresSignals === true)
    for (const name of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(name, () => undefined);
  if (fake.forks !== undefined) {
    const child = spawn(process.execPath, ['-e', "process.on('SIGTERM', () => {}); setInterval(() => {}, 1000)"], {
      detached: true,
      stdio: 'ignore',
    });
    child.unref();
    appendFileSync(fake.forks, `${child.pid}\n`);
  }
  if (fake.diesAfter !== undefined) setTimeout(() => process.exit(1), fake.diesAfter);
  if (fake.junk === true) process.stdout.write('Welcome to the server!\n{"half": \n\u001b[31mred\u001b[0m\n[1,2]\n');
  process.stderr.write('hello from stderr\n');
  // It stays although nobody talks to it any more.
  if (fake.ignoresSignals === true) setInterval(() => undefined, 1000);
  if (fake.silent === true) {
    process.stdin.resume();
    return;
  }
  const server = new Server(fake);
  createInterface({ input: process.stdin }).on('line', (line) => server.take(JSON.parse(line) as Json));
}

class Server {
  readonly #fake: FakeServer;
  readonly #asked = new Map<string, (answer: Json) => void>();
  #nextId = 1;
  /** What the client says of itself. */
  #client: Json = {};
  #isHushed = false;

  constructor(fake: FakeServer) {
    this.#fake = fake;
  }

  take(message: Json): void {
    if (this.#isHushed) return;
    const { id, method, params } = message as { id?: string | number; method?: string; params?: Json };
    if (method === undefined) {
      this.#asked.get(String(id))?.(message);
      return;
    }
    if (id === undefined) return;
    void this.#answer(method, params ?? {}).then(
      (result) => send({ jsonrpc: '2.0', id, result }),
      (error: Error) => send({ jsonrpc: '2.0', id, error: { code: -32_000, message: error.message } }),
    );
  }

  async #answer(method: string, params: Json): Promise<Json> {
    switch (method) {
      case 'initialize':
        this.#client = params;
        return {
          protocolVersion: params['protocolVersion'],
          capabilities: this.#fake.capabilities ?? { tools: { listChanged: true } },
          serverInfo: { name: 'fake', version: '1' },
        };
      case 'ping':
        return {};
      case 'tools/list':
        if (this.#fake.refuses !== undefined) throw new Error(this.#fake.refuses);
        return this.#page(params['cursor']);
      case 'tools/call':
        return await this.#call(String(params['name']), (params['arguments'] ?? {}) as Json);
      case 'resources/list':
        if (this.#fake.pageMs !== undefined) await new Promise((done) => setTimeout(done, this.#fake.pageMs));
        if (this.#fake.endless === true) {
          const page = Number(params['cursor'] ?? 0);
          const resources = Array.from({ length: 100 }, (_, at) => ({ uri: `note://${page}/${at}` }));
          return { resources, nextCursor: String(page + 1) };
        }
        return params['cursor'] === undefined
          ? { resources: [{ uri: 'note://one', name: 'one', mimeType: 'text/plain' }], nextCursor: 'more' }
          : { resources: [{ uri: 'note://two', name: 'two' }] };
      case 'resources/read':
        return {
          contents: [
            { uri: params['uri'], text: 'a note' },
            { uri: params['uri'], blob: 'AAAA' },
          ],
        };
      case 'prompts/list':
        return { prompts: [{ name: 'greet', arguments: [{ name: 'whom', required: true }] }] };
      case 'prompts/get':
        if (this.#fake.endless === true) {
          return { messages: Array.from({ length: 10_000 }, () => ({ role: 'r'.repeat(1000), content: 'x' })) };
        }
        return {
          messages: [{ role: 'user', content: { type: 'text', text: `greet ${JSON.stringify(params['arguments'])}` } }],
        };
      default:
        throw new Error(`Method not found: ${method}`);
    }
  }

  #page(cursor: unknown): Json {
    const { toolsFile, tools = [], pageSize = 1000, listed: dots } = this.#fake;
    if (dots !== undefined) appendFileSync(dots, '.');
    const all = toolsFile === undefined ? tools : (JSON.parse(readFileSync(toolsFile, 'utf8')) as readonly FakeTool[]);
    const from = Number(cursor ?? 0);
    const listed = all
      .slice(from, from + pageSize)
      .map(({ inputSchema = { type: 'object', properties: {} }, ...tool }) => ({
        ...tool,
        ...(inputSchema === null ? {} : { inputSchema }),
      }));
    return { tools: listed, ...(from + pageSize < all.length ? { nextCursor: String(from + pageSize) } : {}) };
  }

  async #call(name: string, args: Json): Promise<Json> {
    const text = (said: string): Json => ({ content: [{ type: 'text', text: said }] });
    switch (name.split('_')[0]) {
      case 'env':
        return text(JSON.stringify(process.env));
      case 'fail':
        return { ...text(typeof args['text'] === 'string' ? args['text'] : 'it failed'), isError: true };
      case 'throw':
        throw new Error('no such thing');
      case 'sleep': {
        const begun = Date.now();
        await new Promise((done) => setTimeout(done, Number(args['ms'] ?? 0)));
        return text(`${begun} ${Date.now()}`);
      }
      case 'never':
        return await new Promise(() => undefined);
      case 'big':
        return text('x'.repeat(Number(args['bytes'])));
      case 'die':
        process.exit(1);
      case 'rich':
        return {
          content: [
            { type: 'text', text: 'a picture:' },
            { type: 'image', data: 'iVBORw0KGgo=', mimeType: 'image/png' },
            { type: 'audio', data: 'UklGRg==', mimeType: 'audio/wav' },
            { type: 'resource', resource: { uri: 'note://one', text: 'a note' } },
            { type: 'resource', resource: { uri: 'file://two', blob: 'JVBERg==', mimeType: 'application/pdf' } },
            { type: 'resource_link', uri: 'note://three', name: 'three', description: 'the third' },
            { type: 'hologram' },
          ],
          structuredContent: { parts: 7 },
        };
      case 'structured':
        return { content: [], structuredContent: { answer: 42 } };
      case 'flood':
        process.stdin.pause();
        setInterval(() => undefined, 60_000);
        for (let id = 0; id < 20_000; id++) send({ jsonrpc: '2.0', id: `f${id}`, method: 'ping' });
        return await new Promise(() => undefined);
      case 'hush':
        this.#isHushed = true;
        return text('I say no more');
      case 'client':
        return text(JSON.stringify(this.#client));
      case 'report':
        send({ jsonrpc: '2.0', method: 'notifications/message', params: { level: 'error', data: args['data'] } });
        return text('reported');
      case 'announce':
        send({ jsonrpc: '2.0', method: 'notifications/tools/list_changed' });
        return text('announced');
      case 'ask':
        return text(JSON.stringify(await this.#ask(String(args['method']), (args['params'] ?? {}) as Json)));
      default:
        return text(`${name} ${JSON.stringify(args)}`);
    }
  }

  async #ask(method: string, params: Json): Promise<unknown> {
    const id = `s${this.#nextId++}`;
    const { promise, resolve } = Promise.withResolvers<Json>();
    this.#asked.set(id, resolve);
    send({ jsonrpc: '2.0', id, method, params });
    const { result, error } = await promise;
    return result ?? { error };
  }
}

function send(message: Json): void {
  process.stdout.write(`${JSON.stringify(message)}\n`);
}

if (import.meta.main) serve(JSON.parse(process.argv[2] ?? '{}') as FakeServer);
