/** Brings the user's files to the version of today: in one atomic step, and without writing defaults into them. */
import { join } from 'node:path';
import { isJsonObject, type JsonObject } from '../lib/json.ts';
import { setEnvValue } from './dotenv-edit.ts';
import { readEnvFile } from './dotenv.ts';
import { updateConfig, type Change, type EditTarget } from './edit.ts';
import type { LoadedConfig } from './load.ts';
import { MIGRATION_STEPS, STALE_VARIABLES } from './migration-steps.ts';
import { CONFIG_VERSION, OWN_OLD_VERSION } from './schema.ts';
import { removeAt, setAt, valueAt } from './values.ts';

/** True for files that `migrateConfig` changes: older ones, and those that got a number nobody else uses. */
export function needsMigration(version: number): boolean {
  return version < CONFIG_VERSION || version === OWN_OLD_VERSION;
}

/**
 * Moves what older versions wrote to where it belongs now, and writes the version. Values of the user are never changed
 * and defaults never added: a default that is written down holds for ever, in every program that reads the file. Returns
 * the changed keys. Does nothing for a file that is up to date or newer.
 */
export async function migrateConfig(target: EditTarget, loaded: LoadedConfig): Promise<readonly string[]> {
  const { version } = loaded.user;
  if (!needsMigration(version)) return [];
  const envFile = join(target.home.path, '.env');
  const { values: variables } = readEnvFile(envFile);
  const changes = migrationChanges(loaded.user.data, version, target, variables);
  const written = changes.filter((change) => !isPinned(loaded, change));
  await updateConfig(target, [...written, { path: ['_config_version'], value: CONFIG_VERSION }]);
  for (const { before, name, with: other } of STALE_VARIABLES) {
    if (version === 0 || version >= before || !variables.has(name)) continue;
    if (other === undefined || variables.has(other)) setEnvValue(envFile, name, undefined);
  }
  return written.map(({ path }) => path.join('.'));
}

function migrationChanges(
  written: JsonObject,
  version: number,
  { home }: EditTarget,
  variables: ReadonlyMap<string, string>,
): Change[] {
  const data = structuredClone(written);
  return MIGRATION_STEPS.filter(({ before }) => version < before).flatMap((step) => {
    const changes = step
      .changes({ data, directory: home.path, variables })
      .filter(({ path, value }) => value === undefined || !blocked(data, path));
    for (const { path, value } of changes) {
      if (value === undefined) removeAt(data, path);
      else setAt(data, path, value);
    }
    return changes;
  });
}

/** An administrator's value stands beside the file; there is nothing to write. */
function isPinned({ managed }: LoadedConfig, { path }: Change): boolean {
  const key = path.join('.');
  return managed.keys.some((leaf) => leaf === key || leaf.startsWith(`${key}.`) || key.startsWith(`${leaf}.`));
}

/** A scalar on the way would have to be replaced by a map. */
function blocked(present: JsonObject, path: readonly string[]): boolean {
  return path.some((_, index) => {
    const value = valueAt(present, path.slice(0, index));
    return index > 0 && value !== undefined && value !== null && !isJsonObject(value);
  });
}
