/** `hermes mcp test`: connects to one server and shows what it offers. */
import { join } from 'node:path';
import { counted } from '../../lib/counted.ts';
import { errorMessage, UserError } from '../../lib/errors.ts';
import { probeServer, type ProbedServer } from '../../mcp/probe.ts';
import { escapeForDisplay } from '../../safety/display.ts';
import type { CliContext } from '../command.ts';
import { oneLine } from '../render/terminal-text.ts';
import { probeOptions, type ServerEntry, serverNamed } from './configured.ts';
import { reachOf } from './list-servers.ts';

const maxShown = 100;
const maxDescription = 100;
/** A server may have printed a whole trace. */
const maxReason = 300;

export async function testServer(context: CliContext, name: string): Promise<void> {
  const entry = await serverNamed(context, name);
  showProbe(context, name, await probe(context, name, entry));
}

/** Throws `UserError` when it does not answer. */
export async function probe(context: CliContext, name: string, entry: ServerEntry): Promise<ProbedServer> {
  const stop = new AbortController();
  const onSignal = (): void => stop.abort();
  process.once('SIGINT', onSignal);
  try {
    return await probeServer(name, entry, await probeOptions(context), stop.signal);
  } catch (error) {
    if (error instanceof UserError) throw error;
    const reason = stop.signal.aborted ? 'interrupted' : oneLine(errorMessage(error), maxReason);
    const printed = reachOf(entry).kind === 'stdio' ? join(context.home.path, 'logs', 'mcp-stderr.log') : undefined;
    throw new UserError(`The MCP server '${name}' does not answer: ${reason}`, {
      hint: printed === undefined ? 'Look at its url, and at the network.' : `What it printed is in ${printed}`,
    });
  } finally {
    process.off('SIGINT', onSignal);
  }
}

export function showProbe(
  { io }: CliContext,
  name: string,
  { transport, capabilities, tools, skipped, tookMs }: ProbedServer,
): void {
  const say = (line: string): boolean => io.stdout.write(`${escapeForDisplay(line, { singleLine: true })}\n`);
  const also = (['resources', 'prompts'] as const).filter((kind) => capabilities[kind]);
  say(
    `${name}: connected over ${transport} in ${Math.round(tookMs)} ms; ${counted(tools.length, 'tool')}${also.map((kind) => `, ${kind}`).join('')}`,
  );
  for (const { name: tool, description } of tools.slice(0, maxShown)) {
    const words = description.replaceAll(/\s+/g, ' ').slice(0, maxDescription);
    say(words === '' ? `  ${tool}` : `  ${tool}: ${words}`);
  }
  if (tools.length > maxShown) say(`  … and ${tools.length - maxShown} more`);
  for (const why of skipped) say(`  left out: ${why}`);
}
