/** `hermes mcp` and `hermes mcp picker`: the catalogue and one's own servers, to be installed, switched and removed. */
import { updateConfig } from '../../config/edit.ts';
import { UserError } from '../../lib/errors.ts';
import type { CliContext } from '../command.ts';
import { Cancelled, openPrompts, type Prompts } from '../model/prompts.ts';
import { oneLine } from '../render/terminal-text.ts';
import { withFreshSettings } from '../setup/fresh-settings.ts';
import { configureServer } from './configure-server.ts';
import { isGuarded, serverNamed } from './configured.ts';
import { installServer } from './install-server.ts';
import { logInServer } from './log-in.ts';
import { removeServer } from './remove-server.ts';
import { type CatalogueRow, catalogueRows, labelOf, openCatalogue, showCatalogue } from './show-catalogue.ts';
import { testServer } from './test-server.ts';

/** Until the person stops. Without a terminal the list is shown. */
export async function pickServer(context: CliContext): Promise<void> {
  const { io } = context;
  if (!io.stdin.isTTY || !io.stdout.isTTY) return await showCatalogue(context);
  const prompts = await openPrompts(io);
  prompts.intro('MCP servers');
  const catalogue = await openCatalogue(context);
  for (;;) {
    const now = withFreshSettings(context);
    const rows = await catalogueRows(now, catalogue);
    if (rows.length === 0) return prompts.outro("There are none yet; 'hermes mcp add' adds one.");
    try {
      const name = await prompts.select('Which one? (Escape to end)', rows.map(choiceOf));
      const row = rows.find((each) => each.name === name);
      if (row !== undefined) await act(now, prompts, row);
    } catch (error) {
      if (!(error instanceof Cancelled)) throw error;
      return prompts.outro("'hermes mcp list' shows them, 'hermes mcp add' adds one of your own.");
    }
  }
}

function choiceOf(row: CatalogueRow) {
  return { value: row.name, label: labelOf(row), hint: oneLine(row.description, 60) };
}

/** What goes wrong with one is told, and the list is there again. */
async function act(context: CliContext, prompts: Prompts, row: CatalogueRow): Promise<void> {
  try {
    if (row.state === 'available') await installServer(context, row.name);
    else await changeServer(context, prompts, row);
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    prompts.say([error.message, error.hint ?? ''].join('\n').trim());
  }
}

async function changeServer(context: CliContext, prompts: Prompts, row: CatalogueRow): Promise<void> {
  const { name, state, isOwn } = row;
  const { home, env } = context;
  const entry = await serverNamed(context, name);
  const choices = [
    { value: 'switch', label: state === 'on' ? 'Switch off' : 'Switch on' },
    { value: 'configure', label: 'Choose its tools' },
    { value: 'test', label: 'Connect to it and show what it offers' },
    ...(isGuarded(entry) ? [{ value: 'login', label: 'Log in' }] : []),
    ...(isOwn ? [] : [{ value: 'install', label: 'Install it again' }]),
    { value: 'remove', label: 'Remove' },
  ];
  const action = await prompts.select(oneLine(name, 80), choices);
  if (action === 'configure') return await configureServer(context, name);
  if (action === 'test') return await testServer(context, name);
  if (action === 'login') return await logInServer(context, name);
  if (action === 'install') return await installServer(context, name);
  if (action === 'remove') {
    if (await prompts.confirm(`Remove ${oneLine(name, 80)}?`, false)) await removeServer(context, name);
    return;
  }
  await updateConfig({ home, env }, [{ path: ['mcp_servers', name, 'enabled'], value: state !== 'on' }]);
}
