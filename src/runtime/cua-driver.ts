/** `cua-driver mcp`: the tool server that sees and operates the desktop, started by its first use. */
import * as z from 'zod';
import { desktopVariables } from '../config/computer-variables.ts';
import type { Variables } from '../config/variables.ts';
import { errorMessage, UserError } from '../lib/errors.ts';
import type { Network } from '../lib/connections.ts';
import type { Log } from '../lib/log.ts';
import { connect, type Connection } from '../mcp/connect.ts';
import { openPorts } from '../mcp/connect-ports.ts';
import { listTools } from '../mcp/server-tool.ts';
import type { StdioReach } from '../mcp/settings.ts';
import type { Abilities, DesktopDriver } from '../tools/computer-use/driver.ts';

export interface CuaDriverOptions {
  /** Absolute path of the program. */
  readonly program: string;
  readonly homePath: string;
  readonly env: Variables;
  /** `computer_use.cua_telemetry` */
  readonly telemetry: boolean;
  readonly network: Network;
  readonly version: string;
  readonly log: Log;
}

interface Opened {
  readonly connection: Connection;
  readonly abilities: Abilities;
  close(): Promise<void>;
}

const name = 'cua-driver';
/** The first start on a machine looks at a lot. */
const connectMs = 30_000;
const callMs = 60_000;

export class CuaDriver implements DesktopDriver {
  readonly #options: CuaDriverOptions;
  #opening: Promise<Opened> | undefined;

  constructor(options: CuaDriverOptions) {
    this.#options = options;
  }

  async abilities(signal: AbortSignal): Promise<Abilities> {
    return (await this.#open(signal)).abilities;
  }

  async call(tool: string, args: Readonly<Record<string, unknown>>, signal: AbortSignal): Promise<unknown> {
    const { connection } = await this.#open(signal);
    try {
      return await connection.request('tools/call', { name: tool, arguments: args }, { signal, timeoutMs: callMs });
    } catch (error) {
      throw problem(`${name} did not answer ${tool}`, error, signal);
    }
  }

  async close(): Promise<void> {
    const opening = this.#opening;
    this.#opening = undefined;
    // One that never came up has ended itself.
    await (await opening?.catch(() => undefined))?.close();
  }

  async #open(signal: AbortSignal): Promise<Opened> {
    const opening = (this.#opening ??= this.#start(signal));
    try {
      return await opening;
    } catch (error) {
      if (this.#opening === opening) this.#opening = undefined;
      throw problem(`${name} did not start`, error, signal);
    }
  }

  async #start(signal: AbortSignal): Promise<Opened> {
    const { homePath, env, network, version, log } = this.#options;
    const settings = { name, reach: this.#reach(), connectMs };
    const { ports, close } = openPorts({ homePath, cwd: homePath, variables: env, network, version, log });
    try {
      const connection = await connect(settings, ports, { onToolsChanged: () => undefined }, signal);
      const onSkipped = (why: string): void => log.debug(`${name}: ${why}`);
      const tools = await listTools(connection, name, { signal, timeoutMs: connectMs, onSkipped });
      const takes = new Map(tools.map((tool) => [tool.name, argumentsIn(tool.schema)]));
      const opened: Opened = {
        connection,
        abilities: {
          has: (tool, argument) => (argument === undefined ? takes.has(tool) : takes.get(tool)?.has(argument) === true),
        },
        async close() {
          await connection.close().catch(() => undefined);
          await close();
        },
      };
      void connection.ended.then(() => this.#ended(opened));
      return opened;
    } catch (error) {
      await close();
      throw error;
    }
  }

  /** The next call starts it anew. */
  async #ended(opened: Opened): Promise<void> {
    const opening = this.#opening;
    if (opening === undefined || (await opening.catch(() => undefined)) !== opened) return;
    if (this.#opening === opening) this.#opening = undefined;
    await opened.close();
  }

  #reach(): StdioReach {
    const { program, env, telemetry } = this.#options;
    return { kind: 'stdio', command: program, args: ['mcp'], env: desktopVariables(env, telemetry) };
  }
}

const schemaShape = z.looseObject({ properties: z.record(z.string(), z.unknown()).catch({}) });

function argumentsIn(schema: unknown): ReadonlySet<string> {
  const read = schemaShape.safeParse(schema);
  return new Set(read.success ? Object.keys(read.data.properties) : []);
}

function problem(what: string, error: unknown, signal: AbortSignal): Error {
  if (signal.aborted) return signal.reason instanceof Error ? signal.reason : new Error('aborted');
  if (error instanceof UserError) return error;
  const hint = 'hermes computer-use doctor says what it lacks.';
  return new UserError(`${what}: ${errorMessage(error).slice(0, 500)}`, { hint, cause: error });
}
