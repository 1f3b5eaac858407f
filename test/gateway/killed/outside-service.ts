/**
 * A chat service outside the gateway's process: it delivers each update until it is acknowledged, keeps all that it was
 * sent, and can be told to be difficult. What it saw is the truth that gateways are judged by.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import * as z from 'zod';

/** Something that a person wrote. */
export interface Update {
  readonly id: string;
  readonly chat: string;
  readonly text: string;
  /** How often a gateway was handed it. */
  deliveries: number;
  acknowledged: boolean;
}

/** A message that the gateway has put into a chat. */
export interface Sent {
  readonly id: string;
  readonly chat: string;
  text: string;
  readonly replyTo: string | undefined;
  /** Of what stands there now. */
  key: string;
  /** `Date.now()` */
  readonly at: number;
  removed: boolean;
}

/**
 * - `lost answer`: it is done, and the line is cut before the answer
 * - `cut`: the line is cut before anything is done
 * - `busy`: told to come again later
 */
export type Trouble = 'lost answer' | 'cut' | 'busy';

/** Where a request goes. */
export type Way = 'poll' | 'ack' | 'send' | 'edit' | 'remove';

export interface OutsideService extends AsyncDisposable {
  readonly url: string;
  readonly updates: readonly Update[];
  readonly sent: readonly Sent[];
  /** Asked for every request; undefined: all goes well. */
  trouble: (way: Way) => Trouble | undefined;
  /** Acknowledged updates that are handed out once more with the next poll. */
  readonly repeats: Set<string>;
  /** The gateway is asked to stop in good order. */
  stopping: boolean;
  say(chat: string, text: string): Update;
  /** Told what happens, as it happens. */
  onHappening: (what: string) => void;
}

const body = z.object({
  id: z.string().exactOptional(),
  chat: z.string().exactOptional(),
  text: z.string().exactOptional(),
  replyTo: z.string().exactOptional(),
  key: z.string().exactOptional(),
});

/** A poll with nothing to tell is answered after this long. */
const pollMs = 200;

export async function startOutsideService(): Promise<OutsideService> {
  const updates: Update[] = [];
  const sent: Sent[] = [];
  const wakers = new Set<() => void>();
  const wake = (): void => {
    for (const each of wakers) each();
  };

  function open(): Update[] {
    const found = updates.filter(({ id, acknowledged }) => !acknowledged || service.repeats.has(id));
    service.repeats.clear();
    return found;
  }

  async function poll(): Promise<object> {
    if (!service.stopping && updates.every(({ acknowledged }) => acknowledged)) {
      const { promise, resolve } = Promise.withResolvers<void>();
      const timer = setTimeout(resolve, pollMs);
      wakers.add(resolve);
      await promise;
      clearTimeout(timer);
      wakers.delete(resolve);
    }
    const found = open();
    for (const update of found) {
      update.deliveries += 1;
      service.onHappening(`deliver ${update.id}`);
    }
    return { stop: service.stopping, updates: found.map(({ id, chat, text }) => ({ id, chat, text })) };
  }

  async function answer(way: string, input: z.infer<typeof body>): Promise<object> {
    const { id = '', chat = '', text = '', replyTo, key = '' } = input;
    const message = sent.find((each) => each.id === id);
    switch (way) {
      case 'poll':
        return await poll();
      case 'ack': {
        const update = updates.find((each) => each.id === id);
        if (update !== undefined) update.acknowledged = true;
        return {};
      }
      case 'send':
        sent.push({ id: `s${sent.length}`, chat, text, replyTo, key, at: Date.now(), removed: false });
        return { id: `s${sent.length - 1}` };
      case 'edit':
        if (message === undefined || message.removed) return { missing: true };
        message.text = text;
        message.key = key;
        return { id };
      case 'remove':
        if (message !== undefined) message.removed = true;
        return {};
      default:
        throw new Error(`nothing at ${way}`);
    }
  }

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    response.on('error', () => undefined);
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const way = (request.url ?? '').slice(1);
    const trouble = service.trouble(readWay(way));
    if (trouble === 'cut') return void response.destroy();
    if (trouble === 'busy') return void response.writeHead(429).end('{}');
    const input = body.parse(JSON.parse(Buffer.concat(chunks).toString('utf8')));
    const output = await answer(way, input);
    if (trouble === 'lost answer') response.destroy();
    else response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(output));
    if (way !== 'poll') service.onHappening(`${way} ${input.id ?? input.replyTo ?? ''}`);
  }

  const server = createServer((request, response) => {
    handle(request, response).catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const service: OutsideService = {
    url: `http://127.0.0.1:${port}`,
    updates,
    sent,
    trouble: () => undefined,
    repeats: new Set(),
    stopping: false,
    say(chat, text) {
      const update = { id: `${chat}.${updates.length}`, chat, text, deliveries: 0, acknowledged: false };
      updates.push(update);
      wake();
      return update;
    },
    onHappening: () => undefined,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return service;
}

function readWay(way: string): Way {
  return z.enum(['poll', 'ack', 'send', 'edit', 'remove']).parse(way);
}
