/** Fetches what secret managers hold, before a command reads the environment. */
import type { Home } from '../../config/home.ts';
import { loadConfig, type LoadedConfig } from '../../config/load.ts';
import { type Fetched, fetchSecrets } from '../../secret-sources/fetch-secrets.ts';
import { openSources, tokenVariables } from '../../secret-sources/open-sources.ts';
import { type Placed, type PlaceRules, placeValues } from '../../secret-sources/place.ts';
import { warningsOf } from '../../secret-sources/warnings.ts';

/** What this start got, and where it went. */
export interface SecretReport {
  readonly fetched: readonly Fetched[];
  readonly placed: readonly Placed[];
  readonly warnings: readonly string[];
  /** Puts the values into variables that were read anew. */
  layOver(env: Record<string, string | undefined>): void;
}

/** Changes `env`; undefined when no secret manager is switched on. Never rejects for what one of them does. */
export async function fetchAtStart(options: {
  readonly home: Home;
  readonly env: Record<string, string | undefined>;
  readonly ignoreUserConfig: boolean;
}): Promise<SecretReport | undefined> {
  const { home, env } = options;
  // The settings are read again when the variables are complete, and say then what is wrong with them.
  const loaded = await loadConfig(options);
  const { sources, warnings } = openSources({ homePath: home.path, env, config: loaded.config });
  if (sources.length === 0) return undefined;
  const rules = rulesOf(loaded);
  const fetched = await fetchSecrets(sources, { homePath: home.path });
  let placed = placeValues(env, fetched, rules);
  return {
    fetched,
    get placed() {
      return placed;
    },
    warnings: [...warnings, ...warningsOf(fetched, placed)],
    layOver(fresh) {
      placed = placeValues(fresh, fetched, rules);
    },
  };
}

/** What secret managers may not set. */
export function rulesOf({ config, managed }: LoadedConfig): PlaceRules {
  return { tokens: tokenVariables(config), pinned: managed.variables };
}
