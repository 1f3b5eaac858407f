/** `hermes mcp add`: looks at a server first, and writes down only what answers, or what the person wants all the same. */
import { join } from 'node:path';
import * as z from 'zod';
import { setEnvValue } from '../../config/dotenv-edit.ts';
import { updateConfig } from '../../config/edit.ts';
import { mcpSections } from '../../config/schema/mcp.ts';
import { UserError } from '../../lib/errors.ts';
import type { JsonObject } from '../../lib/json.ts';
import { isSecretName } from '../../lib/secrets.ts';
import { suspicionOf } from '../../mcp/suspicious.ts';
import type { CliContext } from '../command.ts';
import { configuredServers, forgetLogin, isGuarded, type ServerEntry } from './configured.ts';
import { logInTo } from './log-in.ts';
import { probe, showProbe } from './test-server.ts';

export interface AddOptions {
  readonly url?: string;
  readonly command?: string;
  readonly args?: readonly string[];
  readonly auth?: string;
  readonly preset?: string;
  readonly connectTimeout?: string;
  readonly env?: readonly string[];
}

/** What other programs are as servers. */
const presets: Readonly<Record<string, { readonly command: string; readonly args: readonly string[] }>> = {
  codex: { command: 'codex', args: ['mcp-server'] },
};

/** What goes where. */
interface NewServer {
  readonly entry: JsonObject;
  /** For `.env`; the entry names them as `${NAME}`. */
  readonly secrets: ReadonlyMap<string, string>;
}

/** Throws `UserError`; then nothing was written. */
export async function addServer(context: CliContext, name: string, options: AddOptions): Promise<void> {
  if (!/^[A-Za-z0-9][\w-]{0,63}$/.test(name)) {
    throw usage(`'${name}' cannot be the name of a server: use letters, digits, - and _.`);
  }
  if ((await configuredServers(context)).some(([known]) => known === name)) {
    throw usage(`There is an MCP server '${name}' already; 'hermes mcp remove ${name}' forgets it.`);
  }
  const server = await newServer(context, name, options);
  const variables = { ...context.env, ...Object.fromEntries(server.secrets) };
  const parsed = mcpSections.mcp_servers().parse({ [name]: server.entry })[name];
  if (parsed === undefined) throw usage('The server names neither a command nor a url.');
  const suspicion = suspicionOf(parsed);
  if (suspicion !== undefined) throw usage(`suspicious MCP server '${name}': ${suspicion}. It was not added.`);
  const { home, env, io } = context;
  let isAdded = false;
  try {
    isAdded = await looksGood({ ...context, env: variables }, name, parsed);
  } finally {
    // A login to what is not added is of no use to anybody.
    if (!isAdded && isGuarded(parsed)) await forgetLogin(context, name);
  }
  if (!isAdded) return;
  for (const [variable, value] of server.secrets) setEnvValue(join(home.path, '.env'), variable, value);
  await updateConfig({ home, env }, [{ path: ['mcp_servers', name], value: server.entry }]);
  io.stdout.write(`Added. Its tools are there with the next message of a new conversation.\n`);
}

async function newServer(context: CliContext, name: string, options: AddOptions): Promise<NewServer> {
  const { url, preset, connectTimeout, auth } = options;
  const known = preset === undefined ? undefined : presets[preset];
  if (preset !== undefined && known === undefined) {
    throw usage(`There is no preset '${preset}'; there is: ${Object.keys(presets).join(', ')}.`);
  }
  const command = options.command ?? known?.command;
  const args = options.args !== undefined && options.args.length > 0 ? options.args : (known?.args ?? []);
  if ((url === undefined) === (command === undefined)) {
    throw usage('Name either --url or --command (or --preset codex).');
  }
  if (url !== undefined && args.length > 0)
    throw usage('Arguments are for the program of --command; a --url has none.');
  if (url !== undefined && options.env !== undefined) {
    throw usage('--env is for the program of --command; a --url has none.');
  }
  const secrets = new Map<string, string>();
  return {
    secrets,
    entry: {
      ...(url === undefined ? { command: command ?? '' } : { url }),
      ...(args.length === 0 ? {} : { args: [...args] }),
      ...variablesOf(options.env ?? [], secrets),
      ...(await authOf(context, name, auth, url, secrets)),
      ...(connectTimeout === undefined ? {} : { connect_timeout: secondsOf(connectTimeout) }),
    },
  };
}

/** A secret goes to `.env`, under its own name. */
function variablesOf(pairs: readonly string[], secrets: Map<string, string>): JsonObject {
  if (pairs.length === 0) return {};
  const passed: Record<string, string> = {};
  for (const pair of pairs) {
    const [, key, value] = /^([A-Za-z_]\w*)=([^]*)$/.exec(pair) ?? [];
    if (key === undefined || value === undefined) throw usage(`--env takes KEY=VALUE; '${pair.split('=')[0]}' is not.`);
    if (isSecretName(key)) secrets.set(key, value);
    passed[key] = isSecretName(key) ? `\${${key}}` : value;
  }
  return { env: passed };
}

async function authOf(
  { io }: CliContext,
  name: string,
  auth: string | undefined,
  url: string | undefined,
  secrets: Map<string, string>,
): Promise<JsonObject> {
  if (auth === undefined) return {};
  if (auth !== 'header' && auth !== 'oauth') throw usage(`--auth is 'oauth' or 'header'; it is '${auth}'.`);
  if (url === undefined) throw usage(`--auth ${auth} belongs to a --url.`);
  if (auth === 'oauth') return { auth };
  if (!io.stdin.isTTY) throw usage('--auth header asks for the token, and nobody sits at this terminal.');
  const { openPrompts } = await import('../model/prompts.ts');
  const prompts = await openPrompts(io);
  const check = (answer: string): string | undefined => (answer === '' ? 'It is empty.' : undefined);
  const variable = `MCP_${name.toUpperCase().replaceAll(/\W/g, '_')}_TOKEN`;
  secrets.set(variable, await prompts.secret({ message: `Token of ${name}`, check }));
  return { headers: { Authorization: `Bearer \${${variable}}` } };
}

async function looksGood(context: CliContext, name: string, entry: ServerEntry): Promise<boolean> {
  const { io } = context;
  try {
    const look = isGuarded(entry) ? logInTo : probe;
    showProbe(context, name, await look(context, name, entry));
    return true;
  } catch (error) {
    if (!(error instanceof UserError) || !io.stdin.isTTY) throw error;
    io.stderr.write(`${error.message}\n${error.hint ?? ''}\n`);
    const { openPrompts } = await import('../model/prompts.ts');
    return await (await openPrompts(io)).confirm('Add it all the same?', false);
  }
}

function secondsOf(text: string): number {
  const seconds = z.coerce.number().positive().safeParse(text);
  if (!seconds.success) throw usage(`--connect-timeout is a number of seconds; it is '${text}'.`);
  return seconds.data;
}

function usage(message: string): UserError {
  return new UserError(message, { exitCode: 2 });
}
