/** Streamable HTTP before a server that speaks over its standard input and output: one process a session. */
import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import type { TestContext } from 'node:test';

interface Session {
  readonly child: ChildProcess;
  /** Sends one message; undefined where none is answered. */
  ask(message: Message): Promise<string | undefined>;
}

interface Message {
  readonly id?: number | string;
  readonly method?: string;
}

export interface Program {
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
}

/** Returns its address; everything ends with the test. */
export async function bridgeTo(t: TestContext, program: Program): Promise<string> {
  const sessions = new Map<string, Session>();
  const server = createServer((request, response) => {
    void answer(request).then(({ status, body, session }) => {
      const headers = {
        ...(session === undefined ? {} : { 'mcp-session-id': session }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      };
      response.writeHead(status, headers).end(body);
    });
  });
  async function answer(request: IncomingMessage) {
    if (request.method !== 'POST') return { status: 405 };
    const message = JSON.parse(await text(request)) as Message;
    const known = request.headers['mcp-session-id'];
    const session = typeof known === 'string' ? known : randomUUID();
    if (message.method === 'initialize') sessions.set(session, open(program));
    const found = sessions.get(session);
    if (found === undefined) return { status: 404 };
    const body = await found.ask(message);
    return body === undefined ? { status: 202, session } : { status: 200, body, session };
  }
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => {
    server.close();
    server.closeAllConnections();
    for (const { child } of sessions.values()) child.kill();
  });
  const address = server.address();
  if (typeof address !== 'object' || address === null) throw new Error('the bridge has no port');
  return `http://127.0.0.1:${address.port}/mcp`;
}

function open({ command, args, cwd, env }: Program): Session {
  const child = spawn(command, args, { cwd, env, stdio: ['pipe', 'pipe', 'inherit'] });
  const waiting = new Map<number | string, (line: string) => void>();
  createInterface({ input: child.stdout }).on('line', (line) => {
    const { id } = JSON.parse(line) as Message;
    if (id !== undefined) waiting.get(id)?.(line);
  });
  return {
    child,
    async ask(message) {
      const { promise, resolve } = Promise.withResolvers<string>();
      const isAnswered = message.id !== undefined && message.method !== undefined;
      if (isAnswered) waiting.set(message.id, resolve);
      child.stdin.write(`${JSON.stringify(message)}\n`);
      return isAnswered ? await promise : undefined;
    },
  };
}
