/** A real server as a process of a test: started, waited for, ended with the test. */
import { spawn } from 'node:child_process';
import type { TestContext } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { freePort } from '../fakes/free-port.ts';

/** Starting Python with all its imports on a busy machine. */
const startMs = 240_000;

export interface ServerCommand {
  readonly command: string;
  /** The arguments, for the port that it is to listen on. */
  readonly args: (port: number) => readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** A path that answers 200 once the server is ready, or a whole address. */
  readonly ready: string;
  /** Default: a request over TCP. */
  readonly ask?: (url: string) => Promise<boolean>;
}

/** Returns `http://127.0.0.1:<port>`. Throws with the end of what the server wrote when it does not become ready. */
export async function startServer(t: TestContext, server: ServerCommand): Promise<string> {
  const { command, args, env = {}, ready, ask = overTcp } = server;
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const child = spawn(command, args(port), { stdio: ['ignore', 'pipe', 'pipe'], env: { ...process.env, ...env } });
  let output = '';
  const keep = (bytes: Buffer): void => void (output = (output + bytes.toString('utf8')).slice(-4000));
  child.stdout.on('data', keep);
  child.stderr.on('data', keep);
  const exit = new Promise<void>((resolve) => {
    child.once('exit', () => resolve()).once('error', () => resolve());
  });
  t.after(async () => {
    child.kill('SIGKILL');
    await exit;
  });
  const deadline = Date.now() + startMs;
  while (child.exitCode === null && child.pid !== undefined && Date.now() < deadline) {
    if (await answers(ready.startsWith('/') ? url + ready : ready, ask)) return url;
    await delay(250);
  }
  throw new Error(`${command} did not become ready:\n${output}`);
}

async function answers(url: string, ask: (url: string) => Promise<boolean>): Promise<boolean> {
  try {
    return await ask(url);
  } catch {
    return false;
  }
}

async function overTcp(url: string): Promise<boolean> {
  const response = await fetch(url, { signal: AbortSignal.timeout(5000) });
  await response.arrayBuffer();
  return response.ok;
}
