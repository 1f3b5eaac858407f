/** `hermes mcp install`: a server of the catalogue is fetched, given its keys, looked at and written down. */
import { join } from 'node:path';
import { setEnvValues } from '../../config/dotenv-edit.ts';
import { updateConfig } from '../../config/edit.ts';
import { mcpSections } from '../../config/schema/mcp.ts';
import { counted } from '../../lib/counted.ts';
import { UserError } from '../../lib/errors.ts';
import type { JsonObject } from '../../lib/json.ts';
import { findInCatalogue } from '../../mcp/catalogue.ts';
import type { Manifest } from '../../mcp/manifest.ts';
import type { ServerTool } from '../../mcp/server-tool.ts';
import { suspicionOf } from '../../mcp/suspicious.ts';
import type { CliContext } from '../command.ts';
import { Cancelled } from '../model/prompts.ts';
import { oneLine } from '../render/terminal-text.ts';
import { askForTools, filterFor } from './choose-tools.ts';
import { configuredServers, isGuarded, type ServerEntry } from './configured.ts';
import { fetchServer } from './fetch-server.ts';
import { askForVariables } from './install-variables.ts';
import { logInTo } from './log-in.ts';
import { openCatalogue } from './show-catalogue.ts';
import { probe, showProbe } from './test-server.ts';

/** Throws `UserError` and `Cancelled`; a server that does not answer yet is written down all the same. */
export async function installServer(context: CliContext, wanted: string): Promise<void> {
  const catalogue = await openCatalogue(context);
  const manifest = findInCatalogue(catalogue, wanted);
  if (manifest === undefined) {
    const isNewer = catalogue.newer.includes(wanted.replace(/^official\//, ''));
    throw new UserError(
      isNewer ? `'${wanted}' needs a newer version of this program.` : `'${wanted}' is not in the catalogue.`,
      {
        hint: isNewer
          ? 'hermes update'
          : "'hermes mcp catalog' shows what is; 'hermes mcp add' adds a server of your own.",
      },
    );
  }
  const { io, home, env } = context;
  const { name } = manifest;
  io.stdout.write(`${name}: ${oneLine(manifest.description, 200)}\n`);
  if (manifest.source !== '') io.stdout.write(`From ${oneLine(manifest.source, 200)}\n`);
  // Asked first: who has no key at hand has nothing fetched for nothing.
  const variables = await askForVariables(context, manifest.auth.env);
  const folder = manifest.install === undefined ? undefined : await fetchServer(context, name, manifest.install);
  const written = entryOf(manifest, folder);
  const entry = mcpSections.mcp_servers().parse({ [name]: written })[name];
  if (entry === undefined) throw new UserError(`The manifest of ${name} names no server.`);
  const suspicion = suspicionOf(entry);
  if (suspicion !== undefined)
    throw new UserError(`suspicious MCP server '${name}': ${suspicion}. It was not installed.`);
  if (variables.size > 0) setEnvValues(join(home.path, '.env'), variables);
  const known = { ...context, env: { ...env, ...Object.fromEntries(variables) } };
  const tools = await chooseTools(known, manifest, entry);
  await updateConfig({ home, env }, [
    { path: ['mcp_servers', name], value: { ...written, ...(tools === undefined ? {} : { tools }) } },
  ]);
  io.stdout.write(`Installed. Its tools are there with the next message of a new conversation.\n`);
  if (manifest.post_install.trim() !== '') io.stdout.write(`\n${oneLine(manifest.post_install, 1000)}\n`);
}

function entryOf({ transport, auth }: Manifest, folder: string | undefined): JsonObject {
  if (transport.type === 'http') return { url: transport.url, ...(auth.type === 'oauth' ? { auth: 'oauth' } : {}) };
  const inFolder = (text: string): string => {
    if (folder === undefined && text.includes(folderName)) throw new UserError('The manifest installs nothing.');
    return text.replaceAll(folderName, () => folder ?? '');
  };
  // The process of a server sees no variable that is not named.
  const asked = Object.fromEntries(auth.env.map(({ name }) => [name, `\${${name}}`]));
  const environment = { ...asked, ...transport.env };
  return {
    command: inFolder(transport.command),
    ...(transport.args.length === 0 ? {} : { args: transport.args.map(inFolder) }),
    ...(Object.keys(environment).length === 0 ? {} : { env: environment }),
  };
}

const folderName = '${INSTALL_DIR}';

/** `tools` of the entry: what was chosen before, else what the manifest names, else all; the person may change that. */
async function chooseTools(
  context: CliContext,
  { name, tools: { default_enabled: usual } }: Manifest,
  entry: ServerEntry,
): Promise<JsonObject | undefined> {
  const { io } = context;
  const before = (await configuredServers(context)).find(([each]) => each === name)?.[1].tools.include;
  let tools: readonly ServerTool[];
  try {
    const looked = await (isGuarded(entry) ? logInTo : probe)(context, name, entry);
    showProbe(context, name, looked);
    ({ tools } = looked);
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    io.stderr.write(`${error.message}\n${error.hint ?? ''}\n`);
    const next = isGuarded(entry) ? `hermes mcp login ${name}` : `hermes mcp configure ${name}`;
    io.stdout.write(`It is written down all the same; later: ${next}\n`);
    const kept = before ?? usual;
    return kept === undefined ? undefined : { include: [...kept] };
  }
  const names = tools.map((tool) => tool.name);
  const first = (before ?? usual ?? names).filter((each) => names.includes(each));
  if (tools.length === 0) return undefined;
  if (!io.stdin.isTTY || !io.stdout.isTTY) return filterFor(tools, first, undefined);
  try {
    const chosen = await askForTools(context, name, tools, first);
    io.stdout.write(`${chosen.length} of ${counted(tools.length, 'tool')} are offered.\n`);
    return filterFor(tools, chosen, undefined);
  } catch (error) {
    if (!(error instanceof Cancelled)) throw error;
    return filterFor(tools, first, undefined);
  }
}
