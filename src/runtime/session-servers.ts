/** The tools of MCP servers as one session has them. */
import type { Tool } from '../agent/tool.ts';
import type { SideModels } from '../llm/side-task.ts';
import type { ToolServices } from '../tools/services.ts';
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
