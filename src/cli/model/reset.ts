/** `hermes setup --reset`: settings go back to their defaults, a copy of the old file stays beside the new one. */
import type { LoadedConfig } from '../../config/load.ts';
import { writeFileAtomic } from '../../lib/atomic-file.ts';
import type { Change } from '../../config/edit.ts';
import { readText } from '../../config/yaml-file.ts';
import { isJsonObject } from '../../lib/json.ts';
import type { ModelSettings } from '../../providers/model-settings.ts';
import { isPinned } from './pins.ts';

/** `model`: what is said about the main model; `all`: the whole file. */
export type ResetScope = 'model' | 'all';

/** The changes that take the user's settings away; what is pinned has no effect there and is left alone. */
export function resetChanges({ user, managed }: LoadedConfig, scope: ResetScope): Change[] {
  const names = Object.keys(user.data).filter((name) =>
    scope === 'model' ? name === 'model' : name !== '_config_version',
  );
  return names.flatMap((name) => {
    if (!isPinned(managed, name)) return [{ path: [name], value: undefined }];
    const section = user.data[name];
    const keys = isJsonObject(section) ? Object.keys(section) : [];
    return keys.map((key) => ({ path: [name, key], value: undefined }));
  });
}

/** Copies config.yaml and returns where to; undefined when there is none. `now` names the copy. */
export function backUpConfig({ path }: LoadedConfig, now: Date): string | undefined {
  const text = readText(path);
  if (text === undefined) return undefined;
  const copy = `${path}.bak-${now.toISOString().replaceAll(/[-:]|\.\d+/g, '')}`;
  writeFileAtomic(copy, text);
  return copy;
}

/** What stays of the settings; those that an administrator has a part in stay whole. */
export function settingsAfter(
  reset: ResetScope | undefined,
  settings: ModelSettings,
  { managed }: Pick<LoadedConfig, 'managed'>,
): ModelSettings {
  if (reset === undefined || isPinned(managed, 'model')) return settings;
  const { profiles, custom_providers: endpoints } = settings;
  return {
    ...(profiles === undefined ? {} : { profiles }),
    ...(reset === 'all' || endpoints === undefined ? {} : { custom_providers: endpoints }),
  };
}
