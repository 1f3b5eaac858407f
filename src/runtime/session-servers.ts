/** The tools of MCP servers as one session has them. */
import type { Tool } from '../agent/tool.ts';
import type { SideModels } from '../llm/side-task.ts';
import type { ToolServices } from '../tools/services.ts';
import { counted } from '../lib/counted.ts';
import { errorMessage, UserError } from '../lib/errors.ts';
import type { Reloaded } from '../mcp/servers.ts';
import type { ProgramServers } from './program-servers.ts';
import type { SessionServers } from './session.ts';
import type { SessionParts } from './session-parts.ts';

/** Asked before each turn. */
export function sessionServerTools(
  { servers, tools, log }: Pick<SessionParts, 'servers' | 'tools' | 'log'>,
  { redact }: Pick<ToolServices, 'redact'>,
  side: Pick<SideModels, 'ask'>,
): () => readonly Tool<unknown>[] {
  if (servers === undefined) return () => [];
  return servers.all.toolsFor({
    session: { redact, side },
    wants: (tool) => servers.choice.wants(tool),
    taken: new Set(tools.map(({ name }) => name)),
    onTaken: (name, server) =>
      log.named('mcp').warning(`${name} of the server ${server} is left out: another tool has this name`),
  });
}

interface Told {
  leaveNote(text: string): void;
}

/** For before each turn: the servers are there, and those of the file, when that was changed meanwhile. Never rejects. */
export function serversReady(
  { servers, log }: Pick<SessionParts, 'servers' | 'log'>,
  { leaveNote, warn }: { readonly leaveNote: (text: string) => void; readonly warn: (line: string) => void },
): (signal: AbortSignal) => Promise<void> {
  return async (signal) => {
    if (servers === undefined) return;
    const { all } = servers;
    try {
      if (await all.isChanged()) {
        if (all.followsFile) {
          const reloaded = await all.reload(signal, { keepSame: true });
          leaveNote(noteOf(reloaded, all));
          warn(`mcp_servers changed in config.yaml: ${inWords(reloaded)}`);
        } else warn('mcp_servers changed in config.yaml; /reload-mcp connects anew');
      }
    } catch (error) {
      log.named('mcp').warning(`the changed mcp_servers could not be read: ${errorMessage(error)}`);
    }
    await all.ready(signal);
  };
}

/** The servers as a surface sees them. */
export function sessionServers({ servers }: Pick<SessionParts, 'servers'>, agent: Told): SessionServers {
  return {
    list: () => servers?.all.list() ?? [],
    async reload(signal) {
      if (servers === undefined) throw new UserError('This session has no MCP servers.');
      const reloaded = await servers.all.reload(signal);
      agent.leaveNote(noteOf(reloaded, servers.all));
      return reloaded;
    },
  };
}

function noteOf(reloaded: Reloaded, all: Pick<ProgramServers, 'list'>): string {
  const tools = all.list().reduce((sum, server) => sum + server.tools.length, 0);
  return `[IMPORTANT: MCP servers have been reloaded. ${inWords(reloaded)} There are ${counted(tools, 'tool')} of MCP servers now.]`;
}

/** In a sentence or more. */
function inWords({ added, removed, changed }: Reloaded): string {
  const parts = [
    ['Added', added],
    ['Removed', removed],
    ['Changed', changed],
  ] as const;
  const said = parts.flatMap(([what, names]) => (names.length === 0 ? [] : [`${what}: ${names.join(', ')}.`]));
  return said.length === 0 ? 'The servers are the same.' : said.join(' ');
}
