/** Daytona's HTTP API, as far as we use it: sandboxes are directories of this machine, and commands run in its shell. */
import { spawn } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { endMarked } from './end-marked.ts';

export interface FakeSandbox {
  readonly id: string;
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  /** What it was made from. */
  readonly made: Readonly<Record<string, unknown>>;
  /** The user's directory in it. */
  readonly home: string;
  state: string;
  errorReason?: string;
}

export interface FakeDaytona {
  /** Of the API. */
  readonly url: string;
  /** The only key that is taken. */
  readonly key: string;
  readonly sandboxes: readonly FakeSandbox[];
  /** `METHOD /path`, without queries, oldest first. */
  readonly requests: readonly string[];
  /** What shells were given to run, oldest first. */
  readonly commands: readonly string[];
  /** Makes one as another program might have. */
  add(sandbox: Partial<FakeSandbox>): FakeSandbox;
  /** Answers for it; undefined leaves it to the server, and `drop` closes the connection. */
  intercept: (request: string) => { readonly status: number; readonly body?: unknown } | 'drop' | undefined;
  /** The same, after it was done as asked. */
  interceptDone: FakeDaytona['intercept'];
  /** Ends it with everything that runs in it, as an account's owner may at any time. */
  take(sandbox: FakeSandbox, state: 'stopped' | 'destroyed'): void;
}

const mark = 'FAKE_SANDBOX';

/** @param directory sandboxes are below it */
export async function startDaytonaServer(t: TestContext, directory: string): Promise<FakeDaytona> {
  const sandboxes: FakeSandbox[] = [];
  const requests: string[] = [];
  const commands: string[] = [];
  const find = (name: string): FakeSandbox | undefined =>
    sandboxes.find((sandbox) => sandbox.state !== 'destroyed' && [sandbox.id, sandbox.name].includes(name));

  const server = createServer((incoming, response) => {
    response.on('error', () => undefined);
    respond(incoming, response).catch((error: unknown) => {
      response.writeHead(500).end(JSON.stringify({ message: String(error) }));
    });
  });

  async function respond(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of incoming) chunks.push(chunk);
    const { pathname, searchParams } = new URL(incoming.url ?? '', fake.url);
    const request = `${incoming.method} ${pathname}`;
    requests.push(request);
    const send = (answer: { readonly status: number; readonly body?: unknown } | 'drop'): void => {
      if (answer === 'drop') return void incoming.socket.destroy();
      const text = answer.body === undefined ? '' : JSON.stringify(answer.body);
      response.writeHead(answer.status, { 'content-type': 'application/json' }).end(text);
    };
    const given = fake.intercept(request);
    if (given !== undefined) return send(given);
    if (incoming.headers.authorization !== `Bearer ${fake.key}`) {
      return send({ status: 401, body: { statusCode: 401, message: 'Invalid credentials' } });
    }
    const answer = await answerTo(request, searchParams, Buffer.concat(chunks).toString('utf8'));
    send(fake.interceptDone(request) ?? answer);
  }

  async function answerTo(
    request: string,
    query: URLSearchParams,
    body: string,
  ): Promise<{ status: number; body?: unknown }> {
    const [, method = '', rest = ''] = /^(\w+) \/api\/sandbox(?:\/(.*))?$/.exec(request) ?? [];
    if (method === '') return await answerFromToolbox(request, query, body);
    const [name = '', action] = rest.split('/');
    if (name === '') return method === 'POST' ? make(JSON.parse(body)) : list(query);
    const sandbox = find(decodeURIComponent(name));
    if (sandbox === undefined) return { status: 404, body: { message: `Sandbox ${name} not found` } };
    if (method === 'DELETE') fake.take(sandbox, 'destroyed');
    if (action === 'start') sandbox.state = 'starting';
    if (action === 'stop') {
      fake.take(sandbox, 'stopped');
      if (sandbox.made['autoDeleteInterval'] === 0) sandbox.state = 'destroyed';
    }
    const answer = shown(sandbox);
    // The next look sees it a step further.
    sandbox.state = nextStates[sandbox.state] ?? sandbox.state;
    return { status: 200, body: answer };
  }

  function list(query: URLSearchParams): { status: number; body: unknown } {
    const labels = Object.entries(JSON.parse(query.get('labels') ?? '{}') as Record<string, string>);
    const items = sandboxes.filter((sandbox) => labels.every(([label, value]) => sandbox.labels[label] === value));
    return { status: 200, body: { items: items.map(shown), nextCursor: null } };
  }

  function make(asked: Record<string, unknown>): { status: number; body: unknown } {
    const { name, labels } = asked as { name: string; labels: Record<string, string> };
    if (find(name) !== undefined) return { status: 409, body: { message: `Sandbox with name ${name} already exists` } };
    return { status: 200, body: shown(fake.add({ name, labels, made: asked, state: 'pending_build' })) };
  }

  function shown({ id, name, state, errorReason }: FakeSandbox): Record<string, unknown> {
    return { id, name, state, errorReason: errorReason ?? null, toolboxProxyUrl: `${origin()}/toolbox` };
  }

  async function answerFromToolbox(
    request: string,
    query: URLSearchParams,
    body: string,
  ): Promise<{ status: number; body?: unknown }> {
    const [, id = '', what] = /^POST \/toolbox\/([^/]+)\/(process\/execute|files\/upload)$/.exec(request) ?? [];
    const sandbox = find(id);
    if (what === undefined || sandbox === undefined) return { status: 404, body: { message: 'sandbox not found' } };
    if (sandbox.state !== 'started') return { status: 400, body: { message: 'no IP address found. Is it started?' } };
    if (what === 'files/upload') {
      const [, text = ''] = /\r\n\r\n([^]*)\r\n--[^\r]*--\r\n$/.exec(body) ?? [];
      writeFileSync(query.get('path') ?? '', text);
      return { status: 200 };
    }
    const { command } = JSON.parse(body) as { command: string };
    commands.push(command);
    const env = {
      HOME: sandbox.home,
      PATH: process.env['PATH'],
      LANG: 'C.UTF-8',
      TMPDIR: `${sandbox.home}.tmp`,
      [mark]: sandbox.home,
    };
    // Text of any length: the shell reads it from its input.
    const child = spawn('bash', [], { env, cwd: sandbox.home, stdio: ['pipe', 'pipe', 'pipe'] });
    child.stdin.on('error', () => undefined).end(command);
    let result = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (text: string) => (result += text));
    }
    const exitCode = await new Promise<number>((resolve) => child.on('close', (code) => resolve(code ?? -1)));
    return { status: 200, body: { exitCode, result } };
  }

  const origin = (): string => `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const fake: FakeDaytona = {
    url: `${origin()}/api`,
    key: 'dtn_key-of-the-test',
    sandboxes,
    requests,
    commands,
    intercept: () => undefined,
    interceptDone: () => undefined,
    add(given) {
      const id = given.id ?? `id-${sandboxes.length + 1}`;
      const home = join(directory, id);
      for (const path of [home, `${home}.tmp`]) mkdirSync(path, { recursive: true });
      const sandbox: FakeSandbox = { name: id, labels: {}, made: {}, state: 'stopped', ...given, id, home };
      sandboxes.push(sandbox);
      return sandbox;
    },
    take(sandbox, state) {
      sandbox.state = state;
      endMarked(`${mark}=${sandbox.home}`);
      if (state === 'destroyed') rmSync(`${sandbox.home}.tmp`, { recursive: true, force: true });
    },
  };
  t.after(async () => {
    for (const sandbox of sandboxes) fake.take(sandbox, 'destroyed');
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  return fake;
}

const nextStates: Readonly<Record<string, string>> = {
  pending_build: 'building_snapshot',
  building_snapshot: 'started',
  starting: 'started',
};
