/** The tool gateway's way to sandboxes of Modal: they are directories of this machine, and commands run in its shell. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { mkdirSync, rmSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import * as z from 'zod';
import { endMarked } from './end-marked.ts';

export interface GatewaySandboxMade {
  readonly id: string;
  /** What was asked for. */
  readonly made: z.infer<typeof createSchema>;
  /** The user's directory in it. */
  readonly home: string;
  isRunning: boolean;
}

interface Answer {
  readonly status: number;
  readonly body?: unknown;
}

export interface FakeModalGateway {
  readonly url: string;
  /** The only one that is taken. */
  token: string;
  readonly sandboxes: readonly GatewaySandboxMade[];
  /** `METHOD /path`, oldest first. */
  readonly requests: readonly string[];
  /** What was run: command lines, which others may see, and their input; oldest first. */
  readonly commands: readonly { readonly command: string; readonly stdinData: string }[];
  /** Answers for it; undefined leaves it to the server, and `drop` closes the connection. */
  intercept: (request: string) => Answer | 'drop' | undefined;
  /** The same, after it was done as asked. */
  interceptDone: FakeModalGateway['intercept'];
  /** Ends it with all that runs in it; its files are lost unless they are kept. */
  take(sandbox: GatewaySandboxMade, keepsFiles?: boolean): void;
}

const createSchema = z.strictObject({
  image: z.string().min(1),
  cwd: z.string().startsWith('/'),
  cpu: z.number().positive(),
  memoryMiB: z.number().positive(),
  diskMiB: z.number().positive().optional(),
  timeoutMs: z.int().positive().max(3_600_000),
  idleTimeoutMs: z.int().min(300_000),
  persistentFilesystem: z.boolean(),
  logicalKey: z.string().min(1),
});
const execSchema = z.strictObject({
  execId: z.uuid(),
  command: z.string().min(1),
  cwd: z.string().startsWith('/'),
  timeoutMs: z.int().positive(),
  stdinData: z.string().optional(),
});
const endSchema = z.strictObject({ snapshotBeforeTerminate: z.boolean() });

interface Exec {
  readonly child: ChildProcess;
  readonly ended: Promise<void>;
  status: 'running' | 'completed' | 'cancelled' | 'timeout';
  output: string;
  returncode: number | null;
}

const mark = 'FAKE_SANDBOX';
/** What has ended by then is told at once. */
const atOnceMs = 15;

/** @param directory sandboxes are below it */
export async function startModalGateway(t: TestContext, directory: string): Promise<FakeModalGateway> {
  const sandboxes: GatewaySandboxMade[] = [];
  const requests: string[] = [];
  const commands: { command: string; stdinData: string }[] = [];
  const execs = new Map<string, Exec>();
  const byTry = new Map<string, GatewaySandboxMade>();
  const kept = new Map<string, string>();

  const server = createServer((incoming, response) => {
    response.on('error', () => undefined);
    respond(incoming, response).catch((error: unknown) => {
      response.writeHead(400).end(JSON.stringify({ error: String(error) }));
    });
  });

  async function respond(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of incoming) chunks.push(chunk);
    const request = `${incoming.method} ${incoming.url}`;
    requests.push(request);
    const send = (answer: Answer | 'drop'): void => {
      if (answer === 'drop') return void incoming.socket.destroy();
      response.writeHead(answer.status, { 'content-type': 'application/json' }).end(JSON.stringify(answer.body ?? {}));
    };
    const given = fake.intercept(request);
    if (given !== undefined) return send(given);
    if (incoming.headers.authorization !== `Bearer ${fake.token}`) {
      return send({ status: 401, body: { error: 'Invalid token' } });
    }
    const answer = await answerTo(request, incoming.headers['x-idempotency-key'], Buffer.concat(chunks).toString());
    send(fake.interceptDone(request) ?? answer);
  }

  async function answerTo(request: string, idempotency: unknown, body: string): Promise<Answer> {
    if (request === 'POST /v1/sandboxes') return make(createSchema.parse(JSON.parse(body)), idempotency);
    const [, method, id, rest = ''] = /^(GET|POST) \/v1\/sandboxes\/([^/]+)\/(.+)$/.exec(request) ?? [];
    const sandbox = sandboxes.find((one) => one.id === id && one.isRunning);
    if (sandbox === undefined) return { status: 404, body: { error: `Sandbox ${id} not found` } };
    if (method === 'POST' && rest === 'terminate') {
      const { snapshotBeforeTerminate } = endSchema.parse(JSON.parse(body));
      fake.take(sandbox, snapshotBeforeTerminate);
      return { status: 200, body: { id, status: 'terminated' } };
    }
    if (method === 'POST' && rest === 'execs') return await start(sandbox, execSchema.parse(JSON.parse(body)));
    const [, execId = '', action] = /^execs\/([^/]+)(\/cancel)?$/.exec(rest) ?? [];
    const exec = execs.get(execId);
    if (exec === undefined) return { status: 404, body: { error: 'Exec not found' } };
    if (action === '/cancel') end(exec, 'cancelled');
    return { status: 200, body: shown(execId, exec) };
  }

  function make(made: GatewaySandboxMade['made'], idempotency: unknown): Answer {
    if (typeof idempotency !== 'string') return { status: 400, body: { message: 'x-idempotency-key is required' } };
    const before = byTry.get(idempotency);
    if (before !== undefined) return { status: 200, body: { id: before.id, status: 'running' } };
    if (made.image === 'no-such-image') return { status: 422, body: { error: 'Image no-such-image not found' } };
    const id = `mgs_${sandboxes.length + 1}`;
    const home = join(directory, id);
    const from = made.persistentFilesystem ? kept.get(made.logicalKey) : undefined;
    if (from === undefined) mkdirSync(home, { recursive: true });
    // That of Node dies of links that lead in circles.
    else execFileSync('cp', ['-a', from, home]);
    mkdirSync(`${home}.tmp`);
    const sandbox: GatewaySandboxMade = { id, made, home, isRunning: true };
    sandboxes.push(sandbox);
    byTry.set(idempotency, sandbox);
    return { status: 201, body: { id, status: 'running' } };
  }

  async function start(sandbox: GatewaySandboxMade, asked: z.infer<typeof execSchema>): Promise<Answer> {
    const { execId, command, cwd, timeoutMs, stdinData = '' } = asked;
    commands.push({ command, stdinData });
    const env = {
      HOME: sandbox.home,
      PATH: process.env['PATH'],
      LANG: 'C.UTF-8',
      TMPDIR: `${sandbox.home}.tmp`,
      [mark]: sandbox.home,
    };
    const child = spawn('bash', ['-c', command], { env, cwd, stdio: ['pipe', 'pipe', 'pipe'] });
    child.stdin.on('error', () => undefined).end(stdinData);
    const late = setTimeout(() => end(exec, 'timeout'), timeoutMs);
    const ended = new Promise<void>((resolve) => {
      child.on('close', (code) => {
        clearTimeout(late);
        if (exec.status === 'running') [exec.status, exec.returncode] = ['completed', code ?? 137];
        resolve();
      });
    });
    const exec: Exec = { child, ended, status: 'running', output: '', returncode: null };
    execs.set(execId, exec);
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (text: string) => (exec.output += text));
    }
    await Promise.race([exec.ended, new Promise((resolve) => setTimeout(resolve, atOnceMs))]);
    return { status: 202, body: shown(execId, exec) };
  }

  /** What was written is told with the end. */
  function shown(execId: string, { status, output, returncode }: Exec): Record<string, unknown> {
    return status === 'running' ? { execId, status } : { execId, status, output, returncode };
  }

  function end(exec: Exec, status: 'cancelled' | 'timeout'): void {
    if (exec.status !== 'running') return;
    [exec.status, exec.returncode] = [status, status === 'timeout' ? 124 : 130];
    exec.child.kill('SIGKILL');
  }

  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const fake: FakeModalGateway = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    token: 'token-of-the-test-0123456789',
    sandboxes,
    requests,
    commands,
    intercept: () => undefined,
    interceptDone: () => undefined,
    take(sandbox, keepsFiles = false) {
      if (!sandbox.isRunning) return;
      sandbox.isRunning = false;
      endMarked(`${mark}=${sandbox.home}`);
      if (keepsFiles) {
        const copy = `${sandbox.home}.kept`;
        execFileSync('cp', ['-a', sandbox.home, copy]);
        kept.set(sandbox.made.logicalKey, copy);
      }
      rmSync(`${sandbox.home}.tmp`, { recursive: true, force: true });
    },
  };
  t.after(async () => {
    for (const sandbox of sandboxes) fake.take(sandbox);
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  return fake;
}
