/** Variables with which a machine is told where packages come from. */
import type { Variables } from './variables.ts';

const names = [
  'NPM_CONFIG_REGISTRY',
  'npm_config_registry',
  'YARN_NPM_REGISTRY_SERVER',
  'PIP_INDEX_URL',
  'PIP_EXTRA_INDEX_URL',
  'UV_INDEX_URL',
  'UV_DEFAULT_INDEX',
  'GOPROXY',
  'GOSUMDB',
  'CARGO_REGISTRIES_CRATES_IO_INDEX',
  'BUNDLE_MIRROR__ALL',
] as const;

/** The values of those that are set. */
export function registryVariables(env: Variables): readonly string[] {
  return names.flatMap((name) => env[name] ?? []);
}
