/** `/reload-mcp`: connects to the MCP servers of the configuration anew. */
import { counted } from '../../lib/counted.ts';
import { escapeForDisplay } from '../../safety/display.ts';
import { type SharedCommand, takeYes } from '../command.ts';

const question =
  'Connect to the MCP servers anew? The model then gets another list of tools, and what its provider had cached of this conversation is paid for once more.';
/** Servers have their own deadlines; this is for all of them together. */
const waitMs = 120_000;

export const reloadMcp: SharedCommand = {
  name: 'reload-mcp',
  category: 'Tools & Skills',
  description: 'read mcp_servers again and connect anew',
  argumentHint: '[now]',
  surface: 'both',
  whileBusy: false,
  async run({ session, ui }, args) {
    if (!takeYes(args).yes && !(await ui.confirm(question, 'mcp_reload_confirm'))) {
      return ui.print('🟡 /reload-mcp cancelled. The servers stay as they are.');
    }
    const { servers } = session.knowledge;
    const { added, removed, changed } = await servers.reload(AbortSignal.timeout(waitMs));
    for (const [what, names] of [
      ['Added', added],
      ['Removed', removed],
      ['Changed', changed],
    ] as const) {
      if (names.length > 0) ui.print(`${what}: ${names.map(shown).join(', ')}`);
    }
    const list = servers.list();
    const tools = list.reduce((sum, server) => sum + server.tools.length, 0);
    const connected = list.filter(({ state }) => state === 'connected').length;
    ui.print(`${counted(connected, 'MCP server')} connected, ${counted(tools, 'tool')}.`);
    for (const { name, problem } of list) {
      if (problem !== undefined) ui.print(`✗ ${shown(name)}: ${escapeForDisplay(problem, { singleLine: true })}`);
    }
  },
};

function shown(name: string): string {
  return escapeForDisplay(name, { singleLine: true });
}
