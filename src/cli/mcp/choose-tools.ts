/** Which tools of a server are offered: asked of the person, and what of that is written down. */
import type { JsonObject, JsonValue } from '../../lib/json.ts';
import type { ServerTool } from '../../mcp/server-tool.ts';
import type { CliContext } from '../command.ts';
import { openPrompts } from '../model/prompts.ts';
import { oneLine } from '../render/terminal-text.ts';
import type { ServerEntry } from './configured.ts';

type Filter = ServerEntry['tools'];

/** Those that a filter lets through, by their own names. */
export function offeredBy({ include, exclude }: Filter, tools: readonly ServerTool[]): readonly string[] {
  const names = tools.map(({ name }) => name);
  return include === undefined
    ? names.filter((name) => !exclude.includes(name))
    : names.filter((name) => include.includes(name));
}

/** Throws `Cancelled`. */
export async function askForTools(
  { io }: CliContext,
  name: string,
  tools: readonly ServerTool[],
  chosen: readonly string[],
): Promise<readonly string[]> {
  const prompts = await openPrompts(io);
  const choices = tools.map((tool) => ({
    value: tool.name,
    label: oneLine(tool.name, 80),
    hint: oneLine(tool.description, 60),
  }));
  return await prompts.choose(`Tools of ${oneLine(name, 80)} that are offered (Tab marks one)`, choices, chosen);
}

/** `tools` of an entry with this choice. All of them is no filter: what the server adds later is offered too. */
export function filterFor(
  tools: readonly ServerTool[],
  chosen: readonly string[],
  before: JsonValue | undefined,
): JsonObject | undefined {
  const kept: JsonObject = typeof before === 'object' && before !== null && !Array.isArray(before) ? { ...before } : {};
  delete kept['include'];
  delete kept['exclude'];
  const isAll = tools.every(({ name }) => chosen.includes(name));
  const filter = isAll ? kept : { ...kept, include: [...chosen] };
  return Object.keys(filter).length === 0 ? undefined : filter;
}
