/** Ports for what has to be told its port before it listens. */
import { once } from 'node:events';
import { createServer } from 'node:net';

/**
 * Below what the systems lend to whoever asks for any port (Linux: from 32768), so that no connection of a test
 * beside this one is lent it between this answer and its use.
 */
const lowest = 10_000;
const count = 22_000;
/** Processes start this far apart, as their numbers follow each other. */
const apart = 61;

let next = (process.pid * apart) % count;

/** A port of 127.0.0.1 where nothing listens; each call answers another one. */
export async function freePort(): Promise<number> {
  for (let tried = 0; tried < count; tried += 1) {
    const port = lowest + next;
    next = (next + 1) % count;
    if (await isFree(port)) return port;
  }
  throw new Error('every port is taken');
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer().listen(port, '127.0.0.1');
  try {
    await once(server, 'listening');
  } catch {
    return false;
  }
  server.close();
  await once(server, 'close');
  return true;
}
