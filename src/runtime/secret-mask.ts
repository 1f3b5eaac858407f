/** Masks every secret that this process knows of, by pattern and by value. */
import type { LoadedConfig } from '../config/load.ts';
import { createRedactor } from '../safety/redact.ts';
import { secretValuesOf } from '../safety/secret-variables.ts';

/** For the log and whatever else is written beside the conversations; made with the first text. */
export function secretMask(known: {
  readonly config: LoadedConfig;
  readonly env: Readonly<Record<string, string | undefined>>;
}): (text: string) => string {
  let mask: ((text: string) => string) | undefined;
  return (text) => {
    mask ??= createRedactor({ enabled: true, secretValues: knownSecrets(known) });
    return mask(text);
  };
}

/** The values of secret variables and of keys in the configuration. */
export function knownSecrets({
  config: { config },
  env,
}: {
  readonly config: LoadedConfig;
  readonly env: Readonly<Record<string, string | undefined>>;
}): readonly string[] {
  const { model, custom_providers, providers, fallback_providers } = config;
  const keys = [model, ...custom_providers, ...Object.values(providers), ...fallback_providers].flatMap(
    ({ api_key }) => api_key ?? [],
  );
  const spoken = Object.values(config.tts).flatMap((part) =>
    typeof part === 'object' && typeof part['api_key'] === 'string' ? part['api_key'] : [],
  );
  return [...secretValuesOf(env), ...[...keys, ...spoken].filter((key) => key !== '')];
}
