/** Settings that name a chat, when its platform has given it another id: in `.env` and in config.yaml. */
import type { Change } from '../../config/edit.ts';
import type { Variables } from '../../config/variables.ts';
import { errorMessage } from '../../lib/errors.ts';
import { isJsonObject, type JsonObject, parseJson } from '../../lib/json.ts';
import type { Log } from '../../lib/log.ts';
import type { Platform } from '../platform/platform.ts';
import { movedText, movedValue } from '../platform/moved-ids.ts';

export interface MovedSettingsOptions {
  readonly log: Log;
  /** As they are now. */
  variables(): Variables;
  /** config.yaml as it was read. */
  raw(): JsonObject;
  saveVariables(variables: Readonly<Record<string, string>>): Promise<void>;
  saveSettings(changes: readonly Change[]): Promise<void>;
}

/**
 * Never rejects: what could not be changed is named in the log, and the group is silent after the next start until somebody
 * changes it. Returns config.yaml as it reads now.
 */
export async function moveInSettings(
  platform: Pick<Platform, 'name' | 'allowedUsersVariable'>,
  from: string,
  to: string,
  options: MovedSettingsOptions,
): Promise<JsonObject> {
  const { log } = options;
  const named = movedVariables(platform, options.variables(), from, to);
  const changes = movedKeys(platform.name, options.raw(), from, to);
  const tried: readonly (readonly [string, () => Promise<void>])[] = [
    ...Object.entries(named).map(([name, value]) => [name, () => options.saveVariables({ [name]: value })] as const),
    ...changes.map((change) => [change.path.join('.'), () => options.saveSettings([change])] as const),
  ];
  for (const [name, save] of tried) {
    try {
      await save();
      log.info(`${name} names the chat ${to} now, which was ${from}`);
    } catch (error) {
      log.error(`${name} still names the chat ${from}, which is ${to} now; change it: ${errorMessage(error)}`, error);
    }
  }
  // A variable of the service or the shell cannot be changed from here, and stands before `.env`.
  for (const name of Object.keys(movedVariables(platform, options.variables(), from, to)))
    log.error(`${name} still names the chat ${from}, which is ${to} now; change it where it is set`);
  return changes.reduce((whole, { path, value }) => withValue(whole, path, value), options.raw());
}

/** Those of the platform that name the chat, with the values that they ought to have. */
function movedVariables(
  { allowedUsersVariable }: Pick<Platform, 'allowedUsersVariable'>,
  variables: Variables,
  from: string,
  to: string,
): Readonly<Record<string, string>> {
  const prefix = allowedUsersVariable.replace(/ALLOWED_USERS$/, '');
  const own = Object.entries(variables).filter(([name]) => name.startsWith(prefix));
  return Object.fromEntries(
    own.flatMap(([name, value = '']) => {
      const moved = movedText(value, from, to);
      return moved === value ? [] : [[name, moved] as const];
    }),
  );
}

/** One change for each key of a block of the platform, wherever it stands. */
function movedKeys(name: string, raw: JsonObject, from: string, to: string): readonly Change[] {
  const places = [[name], ['platforms', name], ['gateway', 'platforms', name]];
  return places.flatMap((place) => changesIn(raw, place, from, to));
}

function changesIn(raw: JsonObject, path: readonly string[], from: string, to: string): readonly Change[] {
  const block = path.reduce<unknown>((value, key) => (isJsonObject(value) ? value[key] : undefined), raw);
  if (!isJsonObject(block)) return [];
  return Object.entries(block).flatMap(([key, value]) => {
    if (key === 'extra') return changesIn(raw, [...path, key], from, to);
    const moved = movedValue(value, from, to);
    // Only what came out of JSON is in it.
    return moved === value ? [] : [{ path: [...path, key], value: parseJson(JSON.stringify(moved)) }];
  });
}

function withValue(whole: JsonObject, [key, ...rest]: readonly string[], value: Change['value']): JsonObject {
  if (key === undefined || value === undefined) return whole;
  const below = whole[key];
  return { ...whole, [key]: rest.length === 0 ? value : withValue(isJsonObject(below) ? below : {}, rest, value) };
}
