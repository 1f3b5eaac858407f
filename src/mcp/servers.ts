/** All servers of the configuration: started beside the work, and never waited for longer than the owner says. */
import type { Config } from '../config/schema.ts';
import { UserError } from '../lib/errors.ts';
import { timerMs } from '../lib/timer-limit.ts';
import { Callers } from './callers.ts';
import { type OpenedPorts, openPorts } from './connect-ports.ts';
import { elicitationOf } from './elicitation.ts';
import { errorText } from './error-text.ts';
import { Pins } from './pins.ts';
import type { McpOptions } from './options.ts';
import { McpServer, type ServerPorts, type ServerState } from './server.ts';
import type { ServerTool } from './server-tool.ts';
import { type CalledServer, SessionTools, type SessionToolsOptions } from './session-tools.ts';
import { Sampling, type SamplingTotals } from './sampling.ts';
import { suspicionOf } from './suspicious.ts';
import { readSettings, type ServerEntry, type TransportKind } from './settings.ts';

/** What is known of one configured server. */
export interface ServerReport {
  readonly name: string;
  /** Undefined where the entry names none. */
  readonly transport: TransportKind | undefined;
  /** `disabled` and `refused` never start: the owner switched it off, or its entry cannot be used. */
  readonly state: ServerState | 'disabled' | 'refused';
  /** Why it is not connected, in a line. */
  readonly problem?: string;
  readonly tools: readonly Pick<ServerTool, 'name' | 'description'>[];
  /** Names of tools that are not those that were agreed to. */
  readonly changed: readonly string[];
  /** What it has asked the model for. */
  readonly sampling?: SamplingTotals;
}

export interface Reloaded {
  readonly added: readonly string[];
  readonly removed: readonly string[];
  readonly changed: readonly string[];
}

type Entries = Config['mcp_servers'];

interface Held extends CalledServer {
  readonly sampling: Sampling;
  /** The entry that it was made from, as text. */
  readonly entry: string;
}

/** Made only where a server is configured: it and what it needs take their time to load. */
export class McpServers {
  readonly #options: McpOptions;
  readonly #ports: ServerPorts;
  readonly #opened: OpenedPorts;
  readonly #servers = new Map<string, Held>();
  readonly #idle = new Map<string, ServerReport>();
  #settled: Promise<unknown> = Promise.resolve();
  #startedAt: number | undefined;
  #isClosed = false;

  constructor(options: McpOptions, entries: Entries) {
    const { homePath, log, waits } = options;
    this.#options = options;
    this.#opened = openPorts(options);
    const { ports } = this.#opened;
    this.#ports = { ...ports, pins: new Pins(homePath, log), ...(waits === undefined ? {} : { waits }) };
    this.#take(entries);
  }

  /** Connects to all of them side by side. Returns at once; does nothing the second time. */
  start(): void {
    if (this.#startedAt !== undefined || this.#isClosed) return;
    this.#startedAt = performance.now();
    this.#settled = Promise.all([...this.#servers.values()].map(({ server }) => server.start()));
  }

  /**
   * Resolves when every server is connected or given up, and at the latest `discoveryMs` after the start: who is later is
   * there with the next turn. Never rejects.
   */
  async ready(signal: AbortSignal): Promise<void> {
    this.start();
    const left = (this.#startedAt ?? 0) + this.#options.discoveryMs - performance.now();
    if (left > 0 && !signal.aborted) await settledWithin(this.#settled, left, signal);
  }

  /** In the order of the configuration. */
  list(): readonly ServerReport[] {
    return [...[...this.#servers.values()].map(reportOf), ...this.#idle.values()];
  }

  /** The tools of one conversation; ask it before each turn. */
  toolsFor(options: Omit<SessionToolsOptions, 'homePath' | 'servers'>): SessionTools {
    return new SessionTools({
      ...options,
      homePath: this.#options.homePath,
      servers: () => [...this.#servers.values()],
    });
  }

  /**
   * Connects anew to every server of these entries, and ends the others; with `keepSame` those whose entry is as it was go on
   * as they are. Resolves when all are connected or given up, or when `signal` aborts. Never rejects.
   */
  async reload(entries: Entries, signal: AbortSignal, { keepSame = false } = {}): Promise<Reloaded> {
    const before = new Map([...this.#servers].map(([name, { entry }]) => [name, entry]));
    const kept = new Map(
      [...this.#servers].filter(([name, { entry }]) => keepSame && entry === JSON.stringify(entries[name])),
    );
    const ended = [...this.#servers.values()].filter(({ server }) => !kept.has(server.settings.name));
    this.#servers.clear();
    this.#idle.clear();
    await Promise.all(ended.map(({ server }) => server.close()));
    if (this.#isClosed) {
      await Promise.all([...kept.values()].map(({ server }) => server.close()));
      return { added: [], removed: [], changed: [] };
    }
    this.#take(entries, kept);
    this.#startedAt = undefined;
    this.start();
    await settledWithin(this.#settled, Number.POSITIVE_INFINITY, signal);
    const now = [...this.#servers];
    return {
      added: now.flatMap(([name]) => (before.has(name) ? [] : [name])),
      removed: [...before.keys()].filter((name) => !this.#servers.has(name)),
      changed: now.flatMap(([name, { entry }]) => (before.has(name) && before.get(name) !== entry ? [name] : [])),
    };
  }

  /** Ends every connection and every process with all that it started. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.all([...this.#servers.values()].map(({ server }) => server.close()));
    await this.#opened.close();
  }

  #take(entries: Entries, kept: ReadonlyMap<string, Held> = new Map()): void {
    for (const [name, entry] of Object.entries(entries)) {
      const held = kept.get(name);
      if (held !== undefined) {
        this.#servers.set(name, held);
        continue;
      }
      const idle = (state: 'disabled' | 'refused', problem?: string): void => {
        const report = { name, transport: transportOf(entry), state, tools: [], changed: [] };
        this.#idle.set(name, { ...report, ...(problem === undefined ? {} : { problem }) });
      };
      if (!entry.enabled) {
        idle('disabled');
        continue;
      }
      const suspicion = suspicionOf(entry);
      if (suspicion !== undefined) {
        const why = `Skipping suspicious MCP server '${name}': ${suspicion}`;
        this.#options.log.warning(why);
        idle('refused', why);
        continue;
      }
      try {
        const settings = readSettings(name, entry, this.#options.variables);
        const callers = new Callers();
        const sampling = new Sampling(settings, callers, this.#options.log);
        const wishes = {
          ...(settings.sampling.enabled ? { sample: sampling.answer.bind(sampling) } : {}),
          ...(settings.elicitation.enabled ? { elicit: elicitationOf(settings, callers) } : {}),
        };
        this.#servers.set(name, {
          server: new McpServer(settings, this.#ports, wishes),
          callers,
          sampling,
          entry: JSON.stringify(entry),
        });
      } catch (error) {
        if (!(error instanceof UserError)) throw error;
        this.#options.log.warning(errorText(error));
        idle('refused', errorText(error));
      }
    }
  }
}

function reportOf({ server, sampling }: Held): ServerReport {
  const { settings, state, problem, tools, changed } = server;
  return {
    name: settings.name,
    transport: settings.reach.kind,
    state,
    ...(problem === undefined ? {} : { problem }),
    tools,
    changed: [...changed],
    sampling: sampling.totals,
  };
}

function transportOf({ url, command, transport }: ServerEntry): TransportKind | undefined {
  if (url !== undefined) return transport?.toLowerCase() === 'sse' ? 'sse' : 'http';
  return command === undefined ? undefined : 'stdio';
}

/** The process stays for it. */
async function settledWithin(work: Promise<unknown>, ms: number, signal: AbortSignal): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, timerMs(ms));
  const stop = (): void => resolve();
  signal.addEventListener('abort', stop, { once: true });
  await Promise.race([work, promise]);
  clearTimeout(timer);
  signal.removeEventListener('abort', stop);
}
