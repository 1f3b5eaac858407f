/** With which command a language server is started here. */
import { realpathSync } from 'node:fs';
import { join } from 'node:path';
import type { Config } from '../../config/schema.ts';
import { completePath, searchPath } from '../../environments/local/find-shell.ts';
import { searchPathOf } from '../../environments/local/search-path.ts';
import { isExecutable } from '../../lib/is-executable.ts';
import type { LanguageServer } from './language-server.ts';

export interface ServerSources {
  /** The home's own `lsp` directory. */
  readonly folder: string;
  /** What servers and their installers are started with. */
  readonly env: Readonly<Record<string, string>>;
  readonly settings: Config['lsp'];
}

export interface LocatedServer {
  readonly command: readonly [string, ...string[]];
  /** The program as people know it. */
  readonly path: string;
  readonly from: 'configuration' | 'PATH' | 'home';
}

/** The user's own command, else what is on the search path, else what was installed into the home. */
export function locateServer(
  { id, programs, args = [] }: LanguageServer,
  { folder, env, settings }: ServerSources,
): LocatedServer | undefined {
  const [own, ...ownArgs] = settings.servers[id]?.command ?? [];
  if (own !== undefined) {
    const path = findOnPath(own, env);
    return path === undefined ? undefined : { command: [path, ...ownArgs], path, from: 'configuration' };
  }
  for (const program of programs) {
    const path = findOnPath(program, env);
    if (path !== undefined) return { command: [path, ...args], path, from: 'PATH' };
  }
  for (const program of programs) {
    const native = join(folder, 'bin', program);
    if (isExecutable(native)) return { command: [native, ...args], path: native, from: 'home' };
    const script = join(folder, 'node_modules', '.bin', program);
    if (!isExecutable(script)) continue;
    // By the Node that runs us: there need not be another one, nor one that is new enough.
    return { command: [process.execPath, realpathSync(script), ...args], path: script, from: 'home' };
  }
  return undefined;
}

/** Full path of a program for servers and their installers. */
export function findOnPath(program: string, env: Readonly<Record<string, string>>): string | undefined {
  return searchPath(program, completePath(searchPathOf(env)));
}
