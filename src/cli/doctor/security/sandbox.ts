/** Doctor: what a confined command gets hold of. Every attempt is made, in a sandbox as sessions have it. */
import { randomBytes } from 'node:crypto';
import { existsSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import type { Confinement } from '../../../environments/environment.ts';
import { errorMessage } from '../../../lib/errors.ts';
import type { ToolServices } from '../../../tools/services.ts';
import type { Check, CheckContext, Finding } from '../finding.ts';
import { withToolServices } from './session-services.ts';

interface Attempt {
  readonly what: string;
  /** Shell text that succeeds when it gets there. */
  readonly command: string;
  /** Left behind when it did. */
  readonly leaves?: string;
  /** Default: that of a conversation into which nothing has come from outside. */
  readonly network?: Confinement['network'];
}

const timeoutMs = 20_000;
const greeting = 'here I am';

export const sandbox: Check = {
  title: 'What a confined command reaches',
  run: (context) =>
    withToolServices(context, async (services) => {
      const problem = await services.environment.confinementProblem();
      if (problem !== undefined) return [{ status: 'info', text: `nothing can be confined here: ${problem}` }];
      const listener = await listen();
      try {
        return await tryAll(attempts(context, services, listener.port), services);
      } finally {
        listener.close();
      }
    }),
};

async function tryAll(list: readonly Attempt[], services: ToolServices): Promise<readonly Finding[]> {
  const findings: Finding[] = [];
  for (const attempt of list) findings.push(await tryOne(attempt, services));
  const failed = findings.filter(({ status }) => status !== 'ok');
  const reached = findings.length - failed.length;
  return [
    ...(reached === 0 ? [] : [{ status: 'ok', text: `out of reach: ${reached} of ${list.length}` } as const]),
    ...failed,
  ];
}

async function tryOne(
  { what, command, leaves, network }: Attempt,
  { environment, state, config }: ToolServices,
): Promise<Finding> {
  const word = `reached-${randomBytes(8).toString('hex')}`;
  try {
    const { output } = await environment.run(
      `if { ${command}; } >/dev/null 2>&1 </dev/null; then echo ${word}; else echo no; fi`,
      {
        timeoutMs,
        signal: AbortSignal.timeout(timeoutMs),
        confinement: { network: network ?? state.hosts.networkFor(config.terminal.sandbox_network) },
      },
    );
    // What was written inside only, and went with the sandbox, has reached nothing.
    const left = leaves === undefined || existsSync(leaves);
    if (!output.includes(word) || !left) return { status: 'ok', text: what };
    return {
      status: 'fail',
      text: `a confined command can ${what}`,
      remedy: 'Until that is mended, leave the agent alone only with text that you trust.',
    };
  } catch (error) {
    return { status: 'fail', text: `not tried: ${what} (${errorMessage(error)})`, remedy: 'Run `hermes doctor`.' };
  } finally {
    if (leaves !== undefined) rmSync(leaves, { force: true });
  }
}

function attempts(
  { cli: { home } }: CheckContext,
  { paths: { userHome } }: ToolServices,
  port: number,
): readonly Attempt[] {
  const name = `.hermes-probe-${randomBytes(6).toString('hex')}`;
  const write = (what: string, folder: string): Attempt => {
    const path = join(folder, name);
    return { what, command: `echo x > ${quoted(path)}`, leaves: path };
  };
  const read = (what: string, path: string): Attempt => ({
    what,
    command: `test -s ${quoted(path)} && head -c 1 ${quoted(path)} | grep -q .`,
  });
  return [
    read('read the settings', join(home.path, 'config.yaml')),
    read('read the keys', join(home.path, '.env')),
    read('read the conversations', join(home.path, 'state.db')),
    read('read the audit log', join(home.path, 'logs', 'audit.jsonl')),
    { what: 'see the folder of SSH keys', command: `ls -A ${quoted(join(userHome, '.ssh'))} | grep -q .` },
    write('write to the home of the agent', home.path),
    write("write to the user's own folder", userHome),
    write('write to /etc', '/etc'),
    {
      what: 'see the process of the agent',
      command: `test -d /proc/${process.pid} && grep -qz . /proc/${process.pid}/environ`,
    },
    { what: 'send a signal to the agent', command: `kill -0 ${process.pid}` },
    connect('talk to a port of the agent', '127.0.0.1', port, greeting),
    connect('talk to the metadata service of a cloud', '169.254.169.254', 80),
    {
      ...connect('talk to a host that nobody named, after text from outside', '127.0.0.1', port, greeting),
      network: { allows: () => false },
    },
  ];
}

function connect(what: string, host: string, port: number, word = '.'): Attempt {
  // Something on the way may take a connection that leads nowhere, or say that it does: it counts when the host answers.
  const ask = String.raw`exec 3<>/dev/tcp/${host}/${port} && printf "GET / HTTP/1.0\r\n\r\n" >&3 && head -c 999 <&3 | grep -q "${word}"`;
  return { what, command: `timeout 3 bash -c '${ask}'` };
}

function quoted(path: string): string {
  return `'${path.replaceAll("'", String.raw`'\''`)}'`;
}

async function listen(): Promise<{ readonly port: number; close(): void }> {
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.end(`${greeting}\n`);
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', resolve);
  });
  const address = server.address();
  return { port: typeof address === 'object' && address !== null ? address.port : 0, close: () => void server.close() };
}
