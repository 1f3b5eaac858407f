/** `hermes mcp catalog`: what can be installed by name, and what is there already. */
import { readCatalogue, type Catalogue } from '../../mcp/catalogue.ts';
import type { CliContext } from '../command.ts';
import { oneLine } from '../render/terminal-text.ts';
import { configuredServers, type ServerEntry } from './configured.ts';
import { reachOf } from './list-servers.ts';

/** A line of the catalogue. */
export interface CatalogueRow {
  readonly name: string;
  readonly state: 'available' | 'off' | 'on';
  readonly isOwn: boolean;
  readonly description: string;
}

/** Entries of the catalogue first, then the servers of the person's own. */
export async function catalogueRows(context: CliContext, catalogue: Catalogue): Promise<readonly CatalogueRow[]> {
  const servers = new Map(await configuredServers(context));
  const stateOf = (entry: ServerEntry | undefined): CatalogueRow['state'] =>
    entry === undefined ? 'available' : entry.enabled ? 'on' : 'off';
  const known = catalogue.entries.map(({ name, description }) => {
    return { name, state: stateOf(servers.get(name)), isOwn: false, description };
  });
  const own = [...servers].filter(([name]) => !catalogue.entries.some((entry) => entry.name === name));
  return [
    ...known,
    ...own.map(([name, entry]) => ({ name, state: stateOf(entry), isOwn: true, description: reachOf(entry).place })),
  ];
}

export async function openCatalogue({ settings }: CliContext): Promise<Catalogue> {
  return await readCatalogue(settings.mcpCatalogue);
}

export async function showCatalogue(context: CliContext): Promise<void> {
  const say = (line: string): boolean => context.io.stdout.write(`${line}\n`);
  const catalogue = await openCatalogue(context);
  const rows = await catalogueRows(context, catalogue);
  if (rows.length === 0) return void say('The catalogue is empty, and no MCP server is configured.');
  say('MCP servers:');
  for (const row of rows) say(`  ${labelOf(row)}  ${oneLine(row.description, 100)}`);
  say("'hermes mcp install NAME' installs one of the catalogue, 'hermes mcp add' adds one of your own.");
  for (const name of catalogue.newer) {
    say(`'${oneLine(name, 80)}' needs a newer version of this program; see: hermes update`);
  }
  for (const problem of catalogue.problems) context.io.stderr.write(`left out: ${oneLine(problem, 300)}\n`);
}

export function labelOf({ name, state, isOwn }: CatalogueRow): string {
  return `${oneLine(name, 40).padEnd(18)}  ${(isOwn ? `${state}, your own` : state).padEnd(14)}`;
}
