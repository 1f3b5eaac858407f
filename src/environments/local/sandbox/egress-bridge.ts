/** The program inside a closed sandbox that joins its loopback with sockets of ours. */
import { type ChildProcess, spawn } from 'node:child_process';
import { UserError } from '../../../lib/errors.ts';
import { unrefStream } from '../supervisor.ts';

export interface BridgeOptions {
  /** The arguments that stand in front of a program to start it inside. */
  readonly prefix: readonly string[];
  /** The proxy's socket, and the one that connections from outside are fetched from; both must be visible inside. */
  readonly outPath: string;
  readonly inPath: string;
  readonly env: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
}

export interface Bridge {
  readonly pid: number;
  /** On 127.0.0.1 inside: where programs find the proxy. */
  readonly port: number;
  /** Listens on this port of 127.0.0.1 inside, and joins it through the proxy with the same port outside. Resolves when it does, or cannot. */
  forward(port: number): Promise<void>;
  /** Fetches the connection that waits under this name, for a port inside. */
  fetch(name: string, port: number): void;
  close(): void;
}

const startLimitMs = 10_000;

/** Rejects with a `UserError` when it does not listen within ten seconds. */
export async function startBridge(options: BridgeOptions): Promise<Bridge> {
  const { prefix, outPath, inPath, env, signal } = options;
  const command = [...prefix, process.execPath, '--max-semi-space-size=1', '-e', bridgeProgram, outPath, inPath];
  const child = spawn(command[0] ?? '', command.slice(1), { env, stdio: ['pipe', 'pipe', 'ignore'], detached: true });
  // A bridge that goes away breaks its pipes; commands then find nobody to ask.
  child.stdin.on('error', () => undefined);
  const port = await firstPort(child, AbortSignal.any([signal, AbortSignal.timeout(startLimitMs)])).catch(
    (error: unknown) => {
      child.kill('SIGKILL');
      throw error;
    },
  );
  // It ends with the sandbox; nothing waits for it.
  child.unref();
  unrefStream(child.stdin);
  unrefStream(child.stdout);
  const tell = (...words: readonly (string | number)[]): void => void child.stdin.write(`${words.join(' ')}\n`);
  const answered = new Answers(child);
  return {
    pid: child.pid ?? 0,
    port,
    forward: async (wanted) => {
      tell('forward', wanted);
      await answered.for(wanted);
    },
    fetch: (name, inside) => tell('fetch', name, inside),
    close: () => void child.kill('SIGKILL'),
  };
}

/** Somebody inside may have ended it: nobody waits longer. */
const answerLimitMs = 1000;

/** Ports that the bridge has dealt with, as it says line by line. */
class Answers {
  readonly #waiting = new Map<number, () => void>();
  #rest = '';

  constructor(child: ChildProcess) {
    child.stdout?.on('data', (text: string) => {
      const lines = (this.#rest + text).split('\n');
      this.#rest = (lines.pop() ?? '').slice(0, 100);
      for (const line of lines) this.#waiting.get(Number(line))?.();
    });
  }

  for(port: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, answerLimitMs);
      this.#waiting.set(port, () => {
        clearTimeout(timer);
        this.#waiting.delete(port);
        resolve();
      });
    });
  }
}

function firstPort(child: ChildProcess, signal: AbortSignal): Promise<number> {
  const failed = (): UserError => new UserError('The network of the sandbox cannot be opened.');
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', () => reject(failed()));
    signal.addEventListener('abort', () => reject(failed()), { once: true });
    child.stdout?.setEncoding('utf8').once('data', (text: string) => resolve(Number(text)));
  });
}

/**
 * Plain JavaScript for `node -e`: the files of this program need not be visible inside. Nothing of it is trusted; it can
 * only do what everything inside can do.
 */
const bridgeProgram = `
const net = require('node:net');
const [outPath, inPath] = process.argv.slice(1);
const half = { allowHalfOpen: true };
const join = (a, b) => {
  for (const [x, y] of [[a, b], [b, a]]) {
    x.on('error', () => y.destroy());
    x.on('close', () => y.destroy());
    x.pipe(y);
  }
};
const connect = (target) => net.connect({ ...half, ...target });
const forwards = new Set();
const forward = (port) => {
  if (forwards.has(port)) return;
  forwards.add(port);
  const server = net.createServer(half, (client) => {
    const proxy = connect({ path: outPath });
    const refuse = () => { client.destroy(); proxy.destroy(); };
    client.on('error', refuse);
    proxy.on('error', refuse);
    proxy.write('CONNECT 127.0.0.1:' + port + ' HTTP/1.1\\r\\nHost: 127.0.0.1:' + port + '\\r\\n\\r\\n');
    let head = Buffer.alloc(0);
    proxy.on('data', function read(bytes) {
      head = Buffer.concat([head, bytes]);
      const end = head.indexOf('\\r\\n\\r\\n');
      if (end === -1) return head.length > 65536 ? refuse() : undefined;
      proxy.off('data', read);
      if (!/^HTTP\\/1\\.[01] 200 /.test(head.toString('latin1', 0, 16))) {
        // The refusal is an answer to whoever speaks HTTP: a reset would be tried again and again.
        client.write(head);
        client.resume();
        return proxy.pipe(client);
      }
      if (head.length > end + 4) proxy.unshift(head.subarray(end + 4));
      join(client, proxy);
    });
  });
  const answer = () => process.stdout.write(port + '\\n');
  server.on('error', () => { forwards.delete(port); answer(); });
  server.listen(port, '127.0.0.1', answer);
};
const fetchOne = (name, port) => {
  const outside = connect({ path: inPath });
  const inside = connect({ host: '127.0.0.1', port });
  outside.write(name + '\\n');
  join(outside, inside);
};
let rest = '';
process.stdin.setEncoding('utf8').on('data', (text) => {
  const lines = (rest + text).split('\\n');
  rest = lines.pop();
  for (const line of lines) {
    const [verb, ...words] = line.split(' ');
    if (verb === 'forward') forward(Number(words[0]));
    if (verb === 'fetch') fetchOne(words[0], Number(words[1]));
  }
}).on('end', () => process.exit());
const door = net.createServer(half, (client) => join(client, connect({ path: outPath })));
door.listen(0, '127.0.0.1', () => process.stdout.write(door.address().port + '\\n'));
`;
