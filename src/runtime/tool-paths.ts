/** The folders that tools go by. */
import { homedir } from 'node:os';
import { delimiter, isAbsolute } from 'node:path';
import { pythonEnvironment } from '../config/python-environment.ts';
import type { Environment } from '../environments/environment.ts';
import { searchPathOf } from '../environments/local/search-path.ts';
import { findInterpreters } from '../tools/execute-code/languages/catalogue.ts';
import type { ToolPaths } from '../tools/services.ts';
import type { SessionParts } from './session-parts.ts';
import { programFolder, trustRepository, workspaceFolder } from './workspace-folder.ts';

/** Those of the work are looked for with the first command. On another host none is known. */
export function pathsOf(
  { home, env, config, findings }: Pick<SessionParts, 'home' | 'env' | 'config' | 'findings'>,
  { kind, cwd }: Pick<Environment, 'kind' | 'cwd'>,
): ToolPaths {
  const homes = { homePath: home.path, root: home.root, userHome: homedir() };
  if (kind !== 'local') return homes;
  let found: Required<Pick<ToolPaths, 'workspace' | 'isTrustedRepository' | 'program'>> | undefined;
  const find = (): NonNullable<typeof found> => {
    if (found !== undefined) return found;
    const workspace = workspaceFolder(cwd, homedir());
    found = { workspace, isTrustedRepository: trustRepository(workspace), program: programFolder() };
    return found;
  };
  const path = searchPathOf(env);
  const searched = path.split(delimiter).filter((folder) => isAbsolute(folder));
  const environment = config.config.code_execution.mode === 'project' ? pythonEnvironment(env) : undefined;
  const findAll = () => findInterpreters({ environment, searched });
  return {
    ...homes,
    searched,
    get interpreters() {
      return findings === undefined ? findAll() : findings.interpreters.get(`${environment ?? ''}:${path}`, findAll);
    },
    get workspace() {
      return find().workspace;
    },
    get isTrustedRepository() {
      return find().isTrustedRepository;
    },
    get program() {
      return find().program;
    },
  };
}
