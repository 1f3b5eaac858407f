/** The MCP servers of a process. Nothing of them is loaded as long as none is configured. */
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

/** For whoever looks at one server without a program. */
export function mcpOptions(options: McpSurroundings, log: Log): McpOptions {
  const { home, env, config, cwd, version = '0' } = options;
  return {
    homePath: home.path,
    cwd,
    variables: env,
    network: modelVariables(env).network,
    log,
    version,
    discoveryMs: config.config.mcp_discovery_timeout * 1000,
  };
}

type McpSurroundings = Pick<ProgramOptions, 'home' | 'env' | 'config' | 'cwd' | 'version'>;

/** Whoever sits at a prompt gets it first: it takes longer to write a message than to connect. */
const promptFirstMs = 1000;

export class ProgramServers {
  readonly #options: McpSurroundings;
  readonly #log: Log;
  #opening: Promise<McpServers> | undefined;
  #opened: McpServers | undefined;
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(options: McpSurroundings, log: Log) {
    this.#options = options;
    this.#log = log.named('mcp');
  }

  /** Begins to connect beside the work: at once, or after a moment. Returns at once. */
  start({ soon = false }: { readonly soon?: boolean } = {}): void {
    if (!this.#isConfigured()) return;
    const begin = (): void => void this.#open(this.#entries()).then((servers) => servers.start());
    if (!soon) return begin();
    this.#timer = setTimeout(begin, promptFirstMs);
    this.#timer.unref();
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

  /** Reads nothing: connects anew to the servers of `entries`, and to no other. Rejects when they cannot be loaded. */
  async reload(entries: Config['mcp_servers'], signal: AbortSignal): Promise<Reloaded> {
    clearTimeout(this.#timer);
    if (this.#opening === undefined) {
      const opened = await this.#open(entries);
      opened.start();
      await opened.reload(entries, signal);
      return { added: Object.keys(entries), removed: [], changed: [] };
    }
    return await (await this.#opening).reload(entries, signal);
  }

  /** A person agrees to what the tools of a server say now. */
  agree(name: string): void {
    this.#opened?.agree(name);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    const opening = await this.#opening?.catch(() => undefined);
    await opening?.close();
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
