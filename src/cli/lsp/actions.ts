/** What the parts of `hermes lsp` do. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { languageServers } from '../../coding/lsp/catalogue.ts';
import { installServer } from '../../coding/lsp/install-server.ts';
import type { LanguageServer } from '../../coding/lsp/language-server.ts';
import { type LocatedServer, locateServer, type ServerSources } from '../../coding/lsp/locate-server.ts';
import { restartMark } from '../../coding/lsp/server-pool.ts';
import { displayPath } from '../../config/home.ts';
import { UserError } from '../../lib/errors.ts';
import { makeDirectories } from '../../lib/make-directories.ts';
import { childEnvironment } from '../../safety/child-env.ts';
import type { CliContext } from '../command.ts';

interface Row {
  readonly server: LanguageServer;
  readonly located: LocatedServer | undefined;
  readonly isDisabled: boolean;
}

export async function status(context: CliContext, json: boolean): Promise<void> {
  const sources = await sourcesOf(context);
  const { settings, folder } = sources;
  const rows = rowsOf(sources);
  const { enabled, wait_mode, wait_timeout, install_strategy } = settings;
  if (json) {
    const servers = rows.map(({ server, located, isDisabled }) => ({
      id: server.id,
      installed: located !== undefined,
      path: located?.path ?? null,
      from: located?.from ?? null,
      disabled: isDisabled,
      install: server.install.by,
    }));
    const report = { enabled, wait_mode, wait_timeout, install_strategy, folder, servers };
    return void context.io.stdout.write(`${JSON.stringify(report, undefined, 2)}\n`);
  }
  const here = rows.filter(({ located }) => located !== undefined);
  const backend = (await context.config()).config.terminal.backend;
  print(context, [
    `Language servers: ${enabled ? 'on' : 'off (lsp.enabled)'}${backend === 'local' ? '' : `; not asked while terminal.backend is ${backend}`}`,
    `An edit waits:    up to ${wait_timeout} s before and after, ${wait_mode === 'full' ? 'until a server has done its work' : 'for an answer about the file'}`,
    `Missing servers:  ${install_strategy === 'auto' ? 'those of npm are installed in the background' : 'only by hermes lsp install'}`,
    `Installed into:   ${displayPath(folder, context.env)}`,
    `Here:             ${here.length} of ${rows.length}`,
    ...here.map((row) => `  ${line(row, context)}`),
  ]);
}

export async function list(context: CliContext, installedOnly: boolean): Promise<void> {
  const rows = rowsOf(await sourcesOf(context)).filter(({ located }) => !installedOnly || located !== undefined);
  if (rows.length === 0) {
    return print(context, ['No language server is here. Install one with: hermes lsp install <server>']);
  }
  print(
    context,
    rows.map((row) => line(row, context)),
  );
}

export async function install(context: CliContext, id: string): Promise<void> {
  const server = serverNamed(id);
  const sources = await sourcesOf(context);
  await installOne(context, server, sources);
}

export async function installAll(context: CliContext, includeManual: boolean): Promise<void> {
  const sources = await sourcesOf(context);
  const missing = rowsOf(sources).filter(({ located, isDisabled }) => located === undefined && !isDisabled);
  let failed = 0;
  for (const { server } of missing.filter(({ server: { install: recipe } }) => recipe.by !== 'hand')) {
    try {
      await installOne(context, server, sources);
    } catch (error) {
      if (!(error instanceof UserError)) throw error;
      failed += 1;
      context.io.stderr.write(`${server.id}: ${error.message}\n`);
    }
  }
  if (includeManual) {
    const byHand = missing.flatMap(({ server: { id, install: recipe } }) =>
      recipe.by === 'hand' ? [`  ${id.padEnd(idWidth)}${recipe.how}`] : [],
    );
    if (byHand.length > 0) print(context, ['To be installed by hand:', ...byHand]);
  }
  if (failed > 0) context.exitCode = 1;
  else if (missing.every(({ server: { install: recipe } }) => recipe.by === 'hand')) {
    print(context, ['All servers that npm and go can bring are here.']);
  }
}

export async function restart(context: CliContext): Promise<void> {
  const { folder } = await sourcesOf(context);
  makeDirectories(folder);
  writeFileSync(restartMark(folder), `${new Date().toISOString()}\n`);
  print(context, ['Running sessions end their language servers with the next edit, and start them anew when needed.']);
}

export async function which(context: CliContext, id: string): Promise<void> {
  const server = serverNamed(id);
  const located = locateServer(server, await sourcesOf(context));
  if (located === undefined) throw new UserError(`${id} is not here.`, { hint: howToInstall(server) });
  print(context, [located.path]);
}

async function installOne(context: CliContext, server: LanguageServer, sources: ServerSources): Promise<void> {
  const there = locateServer(server, sources);
  if (there !== undefined) return print(context, [`${server.id} is here already: ${there.path}`]);
  const stopped = new AbortController();
  const stop = (): void => stopped.abort(new UserError('The installation was stopped.'));
  process.once('SIGINT', stop);
  try {
    if (server.install.by !== 'hand') print(context, [`Installing ${server.id} with ${server.install.by} …`]);
    const { path } = await installServer(server, { ...sources, signal: stopped.signal, log: context.log.named('lsp') });
    print(context, [`✓ ${server.id}: ${path}`]);
  } finally {
    process.off('SIGINT', stop);
  }
}

async function sourcesOf({ home, env, config }: CliContext): Promise<ServerSources> {
  const { lsp: settings, terminal } = (await config()).config;
  const passthrough = terminal.env_passthrough;
  return { folder: join(home.path, 'lsp'), env: childEnvironment(env, { passthrough }), settings };
}

function rowsOf(sources: ServerSources): readonly Row[] {
  return languageServers.map((server) => ({
    server,
    located: locateServer(server, sources),
    isDisabled: sources.settings.servers[server.id]?.disabled === true,
  }));
}

const idWidth = 2 + Math.max(...languageServers.map(({ id }) => id.length));

function line({ server, located, isDisabled }: Row, { env }: CliContext): string {
  const where = located === undefined ? howToInstall(server) : displayPath(located.path, env);
  const endings = Object.keys(server.languages).slice(0, 2).join(' ');
  return `${located === undefined ? '✗' : '✓'} ${server.id.padEnd(idWidth)}${endings.padEnd(26)}${isDisabled ? 'disabled; ' : ''}${where}`;
}

function howToInstall({ id, install: recipe }: LanguageServer): string {
  return recipe.by === 'hand' ? recipe.how : `hermes lsp install ${id}`;
}

function serverNamed(id: string): LanguageServer {
  const server = languageServers.find((known) => known.id === id);
  if (server !== undefined) return server;
  throw new UserError(`There is no language server '${id}'.`, { hint: 'See them with: hermes lsp list', exitCode: 2 });
}

function print({ io }: CliContext, lines: readonly string[]): void {
  io.stdout.write(`${lines.join('\n')}\n`);
}
