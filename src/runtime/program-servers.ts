/** The MCP servers of a process. Nothing of them is loaded as long as none is configured. */
import { statSync } from 'node:fs';
import type { Tool } from '../agent/tool.ts';
import type { Config } from '../config/schema.ts';
import { modelVariables } from '../config/model-variables.ts';
import type { Log } from '../lib/log.ts';
import type { McpOptions } from '../mcp/options.ts';
import type { McpServers, Reloaded, ServerReport } from '../mcp/servers.ts';
import type { SessionTools, SessionToolsOptions } from '../mcp/session-tools.ts';
import type { ProgramOptions } from './program-options.ts';

/** What a conversation brings along. */
export type ServerToolsOptions = Omit<SessionToolsOptions, 'homePath' | 'servers'>;

export function mcpOptions(options: McpSurroundings, log: Log): McpOptions {
  const { home, env, config, cwd, version = '0' } = options;
  return {
    homePath: home.path,
    cwd,
    variables: env,
    network: modelVariables(env).network,
    log,
    version,
    osvEndpoint: config.process.osvEndpoint,
    discoveryMs: config.config.mcp_discovery_timeout * 1000,
  };
}

export type McpSurroundings = Pick<ProgramOptions, 'home' | 'env' | 'config' | 'cwd' | 'version'>;

/** Whoever sits at a prompt gets it first: it takes longer to write a message than to connect. */
const promptFirstMs = 1000;

export class ProgramServers {
  readonly #options: McpSurroundings;
  readonly #log: Log;
  #opening: Promise<McpServers> | undefined;
  #opened: McpServers | undefined;
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;
  /** Of the file, when it was looked at the last time; and what it said. */
  #stamp: string;
  #known: string | undefined;

  constructor(options: McpSurroundings, log: Log) {
    this.#options = options;
    this.#log = log.named('mcp');
    this.#stamp = this.#stampNow();
  }

  /** Begins to connect beside the work: at once, or after a moment. Returns at once, and does nothing once that has begun. */
  start({ soon = false }: { readonly soon?: boolean } = {}): void {
    if (this.#isClosed || this.#opening !== undefined || !this.#isConfigured()) return;
    clearTimeout(this.#timer);
    const begin = (): void =>
      void this.#open(this.#entries()).then(
        (servers) => servers.start(),
        (error: unknown) => this.#log.warning('the servers could not be opened', error),
      );
    if (!soon) return begin();
    this.#timer = setTimeout(begin, promptFirstMs);
    this.#timer.unref();
  }

  /** Whoever opens a session wants its prompt first: what has not begun waits for the next `start`. */
  postpone(): void {
    clearTimeout(this.#timer);
  }

  /** Resolves when the servers are there, or when they were waited for long enough. Never rejects. */
  async ready(signal: AbortSignal): Promise<void> {
    if (this.#isClosed || (this.#opening === undefined && !this.#isConfigured())) return;
    try {
      await (await this.#open(this.#entries())).ready(signal);
    } catch (error) {
      this.#log.warning('the servers could not be opened', error);
    }
  }

  /** Empty until they are loaded. */
  list(): readonly ServerReport[] {
    return this.#opened?.list() ?? [];
  }

  /** Ask the result before each turn. */
  toolsFor(options: ServerToolsOptions): () => readonly Tool<unknown>[] {
    let made: { readonly by: McpServers; readonly tools: SessionTools } | undefined;
    return () => {
      const opened = this.#opened;
      if (opened === undefined) return [];
      if (made?.by !== opened) made = { by: opened, tools: opened.toolsFor(options) };
      return made.tools.list();
    };
  }

  /**
   * Reads `mcp_servers` again and connects anew to every server, or with `keepSame` to those whose entry changed. Resolves
   * when all are connected or given up. Rejects when the file cannot be read.
   */
  async reload(signal: AbortSignal, { keepSame = false } = {}): Promise<Reloaded> {
    clearTimeout(this.#timer);
    const { home, env } = this.#options;
    this.#stamp = this.#stampNow();
    const { loadConfig } = await import('../config/load.ts');
    const { mcp_servers: entries } = (await loadConfig({ home, env })).config;
    this.#known = JSON.stringify(entries);
    const servers = await this.#open({});
    return await servers.reload(entries, signal, { keepSame });
  }

  /**
   * True when `mcp_servers` is another one in the file than it was when somebody looked the last time. To be asked now and
   * then: as long as the file has not changed it is not read.
   */
  async isChanged(): Promise<boolean> {
    const stamp = this.#stampNow();
    if (stamp === this.#stamp) return false;
    this.#stamp = stamp;
    const { home, env } = this.#options;
    const { loadConfig } = await import('../config/load.ts');
    const now = JSON.stringify((await loadConfig({ home, env })).config.mcp_servers);
    this.#known ??= JSON.stringify(this.#entries());
    const changed = now !== this.#known;
    this.#known = now;
    return changed;
  }

  /** `mcp.auto_reload_on_config_change` */
  get followsFile(): boolean {
    return this.#options.config.config.mcp.auto_reload_on_config_change;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    const opening = await this.#opening?.catch(() => undefined);
    await opening?.close();
  }

  #stampNow(): string {
    const found = statSync(this.#options.config.path, { bigint: true, throwIfNoEntry: false });
    return found === undefined ? 'none' : [found.ino, found.size, found.mtimeNs].join(' ');
  }

  #isConfigured(): boolean {
    const { raw } = this.#options.config;
    return raw['mcp_servers'] !== undefined && Object.values(this.#entries()).some(({ enabled }) => enabled);
  }

  #entries(): Config['mcp_servers'] {
    return this.#options.config.config.mcp_servers;
  }

  #open(entries: Config['mcp_servers']): Promise<McpServers> {
    this.#opening ??= this.#load(entries);
    return this.#opening;
  }

  async #load(entries: Config['mcp_servers']): Promise<McpServers> {
    const { McpServers } = await import('../mcp/servers.ts');
    const opened = new McpServers(mcpOptions(this.#options, this.#log), entries);
    this.#opened = opened;
    return opened;
  }
}
