/** A closed network with one door: what is inside reaches only hosts that the gate lets through, and is reached from outside. */
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type Server, type Socket } from 'node:net';
import { join } from 'node:path';
import type { Proxies } from '../../../lib/proxies.ts';
import type { HostGate, Withheld } from '../../environment.ts';
import { type Bridge, startBridge } from './egress-bridge.ts';
import { type EgressProxy, openEgressProxy } from './egress-proxy.ts';
import { listeningPorts, ownListeningPorts } from './listening-ports.ts';

export interface EgressOptions {
  /** Asked for every connection; another one may take its place with each command. */
  readonly gate: HostGate;
  /** A folder of ours, visible inside at the same path, where nothing inside may write. */
  readonly folder: string;
  /** The arguments that stand in front of a program to start it inside. */
  readonly prefix: readonly string[];
  /** A process inside, as seen from here: in its network is looked for servers. */
  readonly insidePid: number;
  readonly env: Readonly<Record<string, string>>;
  readonly proxies: Proxies;
  /** Ports where this program listens itself; default: as the system tells. */
  readonly ownPorts?: () => Promise<ReadonlySet<number>>;
  readonly signal: AbortSignal;
}

export interface Egress {
  /** With these variables programs find the door. */
  readonly variables: Readonly<Record<string, string>>;
  gate: HostGate;
  /**
   * Joins what has come up since: servers inside get the same port of 127.0.0.1 outside where it is free; ports of this
   * machine are there inside too, and whoever connects is let through or not like anybody else.
   */
  refresh(): Promise<void>;
  /** Hosts that were not reached since the last call, each once. */
  takeWithheld(): readonly Withheld[];
  close(): Promise<void>;
}

const refreshMs = 2000;
const maxJoined = 64;
const maxWaiting = 256;
const maxWithheld = 20;
const fetchLimitMs = 10_000;

export async function openEgress(options: EgressOptions): Promise<Egress> {
  const names = { outPath: join(options.folder, 'out'), inPath: join(options.folder, 'in') };
  const door = new Door(options);
  const proxy = await openEgressProxy({
    socketPath: names.outPath,
    gate: door,
    ownPorts: () => door.ownPorts,
    proxies: options.proxies,
    onRefused: (host, port) => door.refused(host, port),
  });
  try {
    await door.open(proxy, names);
    return door;
  } catch (error) {
    await door.close();
    throw error;
  }
}

class Door implements Egress, HostGate {
  gate: HostGate;
  variables: Readonly<Record<string, string>> = {};
  ownPorts: ReadonlySet<number> = new Set();
  readonly #options: EgressOptions;
  readonly #withheld = new Map<string, Withheld>();
  /** Connections from outside that wait to be fetched. */
  readonly #waiting = new Map<string, { readonly socket: Socket; readonly limit: NodeJS.Timeout }>();
  /** Listeners outside, by the port inside that they lead to. */
  readonly #published = new Map<number, Server>();
  readonly #forwarded = new Set<number>();
  #proxy: EgressProxy | undefined;
  #bridge: Bridge | undefined;
  #fetching: Server | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(options: EgressOptions) {
    this.#options = options;
    this.gate = options.gate;
  }

  async open(proxy: EgressProxy, { outPath, inPath }: { outPath: string; inPath: string }): Promise<void> {
    const { prefix, env, signal } = this.#options;
    this.#proxy = proxy;
    this.#fetching = createServer({ allowHalfOpen: true }, (socket) => this.#onFetched(socket));
    this.#fetching.listen(inPath);
    await once(this.#fetching, 'listening');
    this.#fetching.unref();
    this.#bridge = await startBridge({ prefix, env, outPath, inPath, signal });
    this.variables = proxyVariablesFor(this.#bridge.port);
    await this.refresh();
    this.#timer = setInterval(() => void this.refresh(), refreshMs);
    this.#timer.unref();
  }

  allows(host: string, port: number): boolean {
    return this.gate.allows(host, port);
  }

  refused(host: string, port: number): void {
    const what = `${host}:${port}`;
    if (this.#withheld.size < maxWithheld) this.#withheld.set(what, { kind: 'network', what });
  }

  takeWithheld(): readonly Withheld[] {
    const taken = [...this.#withheld.values()];
    this.#withheld.clear();
    return taken;
  }

  async refresh(): Promise<void> {
    const bridge = this.#bridge;
    if (bridge === undefined) return;
    const [inside, outside, own] = await Promise.all([
      listeningPorts(this.#options.insidePid),
      listeningPorts('self'),
      (this.#options.ownPorts ?? ownListeningPorts)(),
    ]);
    this.ownPorts = own;
    const joined: Promise<void>[] = [];
    for (const port of outside) {
      if (this.#published.has(port) || own.has(port) || inside.has(port) || this.#forwarded.size >= maxJoined) continue;
      this.#forwarded.add(port);
      joined.push(bridge.forward(port));
    }
    for (const port of inside) {
      if (port === bridge.port || this.#forwarded.has(port) || this.#published.has(port) || outside.has(port)) continue;
      if (this.#published.size < maxJoined) this.#publish(port, bridge);
    }
    for (const [port, server] of this.#published) {
      if (inside.has(port)) continue;
      server.close();
      this.#published.delete(port);
    }
    await Promise.all(joined);
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    this.#bridge?.close();
    this.#bridge = undefined;
    for (const server of this.#published.values()) server.close();
    for (const { socket } of this.#waiting.values()) socket.destroy();
    this.#fetching?.close();
    await this.#proxy?.close();
  }

  #publish(port: number, bridge: Bridge): void {
    const server = createServer({ allowHalfOpen: true }, (socket) => {
      const name = randomBytes(16).toString('hex');
      socket.on('error', () => socket.destroy());
      if (this.#waiting.size >= maxWaiting) {
        socket.destroy();
        return;
      }
      const limit = setTimeout(() => socket.destroy(), fetchLimitMs);
      this.#waiting.set(name, { socket, limit });
      socket.once('close', () => this.#waiting.delete(name));
      bridge.fetch(name, port);
    });
    this.#published.set(port, server);
    // Somebody else has the port: the server inside is then seen from inside only.
    server.on('error', () => this.#published.delete(port));
    server.listen(port, '127.0.0.1');
    server.unref();
  }

  /** Something inside fetches a connection: its first line is the name, which nothing inside can guess. */
  #onFetched(socket: Socket): void {
    let head = '';
    const end = (): void => void socket.destroy();
    socket.on('error', end);
    const limit = setTimeout(end, fetchLimitMs);
    const read = (): void => {
      for (;;) {
        const bytes: unknown = socket.read(1);
        if (!(bytes instanceof Buffer)) return;
        if (bytes[0] === 10) break;
        head += bytes.toString('latin1');
        if (head.length > 64) return end();
      }
      socket.off('readable', read);
      clearTimeout(limit);
      const waiting = this.#waiting.get(head);
      this.#waiting.delete(head);
      if (waiting === undefined) return end();
      clearTimeout(waiting.limit);
      waiting.socket.on('close', end);
      socket.on('close', () => waiting.socket.destroy());
      waiting.socket.pipe(socket);
      socket.pipe(waiting.socket);
    };
    socket.on('readable', read);
  }
}

/** What programs read to find a proxy, in both spellings. Servers inside are asked directly. */
function proxyVariablesFor(port: number): Readonly<Record<string, string>> {
  const address = `http://127.0.0.1:${port}`;
  const direct = 'localhost,127.0.0.1,::1';
  const named = { http_proxy: address, https_proxy: address, all_proxy: address, no_proxy: direct };
  const upper = Object.fromEntries(Object.entries(named).map(([name, value]) => [name.toUpperCase(), value]));
  const java = `-Dhttp.proxyHost=127.0.0.1 -Dhttp.proxyPort=${port} -Dhttps.proxyHost=127.0.0.1 -Dhttps.proxyPort=${port} -Dhttp.nonProxyHosts=localhost|127.*|[::1]`;
  return { ...named, ...upper, NODE_USE_ENV_PROXY: '1', MAVEN_OPTS: java, GRADLE_OPTS: java };
}
