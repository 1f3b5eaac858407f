/** What an administrator pins: `/etc/hermes/config.yaml` and `.env`, or a redirected directory. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { UserError } from '../lib/errors.ts';
import type { JsonObject } from '../lib/json.ts';
import { DEFAULT_MANAGED_DIRECTORY, managedDirectory, readEnvFile } from './dotenv.ts';
import { parseBoolean } from './env-values.ts';
import type { Home } from './home.ts';
import type { Variables } from './variables.ts';
import { normaliseLegacy } from './legacy.ts';
import { leafPaths } from './values.ts';
import { readYamlFile } from './yaml-file.ts';

export interface ManagedScope {
  readonly directory: string;
  /** True when `HERMES_MANAGED_DIR` points away from `/etc/hermes`. */
  readonly redirected: boolean;
  readonly configPath: string;
  readonly envPath: string;
  readonly data: JsonObject;
  /** Dotted keys that are pinned, sorted. */
  readonly keys: readonly string[];
  /** Names of pinned variables, sorted. */
  readonly variables: readonly string[];
  readonly warnings: readonly string[];
}

/** Reads the managed files. A malformed one is reported and ignored; nothing is thrown. */
export async function loadManagedScope(env: Variables): Promise<ManagedScope> {
  const directory = managedDirectory(env);
  const configPath = join(directory, 'config.yaml');
  const envPath = join(directory, '.env');
  const file = await readYamlFile(configPath);
  const warnings = file.state === 'read' ? [...file.warnings] : [];
  if (file.state === 'broken') warnings.push(`MANAGED CONFIGURATION IGNORED: ${file.problem}`);
  const data = file.state === 'read' ? normaliseLegacy(file.data) : {};
  delete data['_config_version'];
  return {
    directory,
    redirected: directory !== DEFAULT_MANAGED_DIRECTORY,
    configPath,
    envPath,
    data,
    keys: leafPaths(data).sort(),
    variables: [...readEnvFile(envPath).values.keys()].sort(),
    warnings,
  };
}

/** Throws when a key, a part of it or what it contains is pinned. */
export function refusePinnedKey(scope: ManagedScope, key: string): void {
  const pinned = scope.keys.some((leaf) => leaf === key || leaf.startsWith(`${key}.`) || key.startsWith(`${leaf}.`));
  if (pinned) throw pinnedError(key, scope.configPath);
}

/** Throws when a variable is pinned. */
export function refusePinnedVariable(scope: ManagedScope, name: string): void {
  if (scope.variables.includes(name)) throw pinnedError(name, scope.envPath);
}

/** Throws when the installation belongs to a package manager, whose own files then decide. */
export function refusePackagedInstall(home: Home, env: Variables): void {
  const word = env['HERMES_MANAGED']?.trim() ?? '';
  const markedByEnv = word !== '' && parseBoolean(word) !== false;
  if (!markedByEnv && !existsSync(join(home.path, '.managed'))) return;
  const owner = markedByEnv && parseBoolean(word) === undefined ? ` (${word})` : '';
  throw new UserError(
    `This installation is managed by a package manager${owner}; its configuration is not changed here.`,
    {
      hint: `Change the settings in the package's own configuration, or unset HERMES_MANAGED and remove ${join(home.path, '.managed')}.`,
    },
  );
}

function pinnedError(key: string, file: string): UserError {
  return new UserError(`Cannot set '${key}': it is managed by your administrator (${file}) and cannot be changed.`);
}
