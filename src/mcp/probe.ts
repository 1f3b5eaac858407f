/** A look at one server, for who adds or tests it: connects, asks what it offers, and leaves nothing behind. */
import { connect, type Connection } from './connect.ts';
import { openPorts } from './connect-ports.ts';
import { errorText } from './error-text.ts';
import { listTools, type ServerTool } from './server-tool.ts';
import { UserError } from '../lib/errors.ts';
import { suspicionOf } from './suspicious.ts';
import type { McpOptions } from './options.ts';
import { readSettings, type ServerEntry, type TransportKind } from './settings.ts';

export interface ProbedServer {
  readonly transport: TransportKind;
  readonly capabilities: Connection['capabilities'];
  /** All that it lists, whatever the entry filters. */
  readonly tools: readonly ServerTool[];
  /** One line for each tool that cannot be offered. */
  readonly skipped: readonly string[];
  /** How long it took to connect and to list, in milliseconds. */
  readonly tookMs: number;
}

/**
 * Nothing is agreed to by it, and a server that is switched off is looked at as well. Rejects with a `UserError` for an
 * entry that cannot be used, and with an `Error` in one masked line when the server does not answer.
 */
export async function probeServer(
  name: string,
  entry: ServerEntry,
  options: Omit<McpOptions, 'discoveryMs' | 'waits'>,
  signal: AbortSignal,
): Promise<ProbedServer> {
  const suspicion = suspicionOf(entry);
  if (suspicion !== undefined) throw new UserError(`suspicious MCP server '${name}': ${suspicion}.`);
  const settings = readSettings(name, entry, options.variables);
  const { ports, close } = openPorts(options);
  const began = performance.now();
  try {
    const connection = await connect(settings, ports, { onToolsChanged: () => undefined }, signal);
    try {
      const { capabilities } = connection;
      const skipped: string[] = [];
      const limits = { signal, timeoutMs: settings.connectMs, onSkipped: (why: string) => void skipped.push(why) };
      const tools = capabilities.tools ? await listTools(connection, name, limits) : [];
      return { transport: settings.reach.kind, capabilities, tools, skipped, tookMs: performance.now() - began };
    } catch (error) {
      throw new Error(errorText(error), { cause: error });
    } finally {
      await connection.close().catch(() => undefined);
    }
  } finally {
    await close();
  }
}
