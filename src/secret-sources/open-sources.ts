/** The secret managers that the settings switch on, in the order they count. */
import type { LoadedConfig } from '../config/load.ts';
import type { Variables } from '../config/variables.ts';
import { bitwarden, type BitwardenOptions } from './bitwarden.ts';
import { installBws } from './install-bws.ts';
import { onePassword } from './one-password.ts';
import type { SecretSource } from './source.ts';

export interface SourceSettings {
  readonly homePath: string;
  readonly env: Variables;
  readonly config: LoadedConfig['config'];
}

/** Mapped sources before bulk ones; among their kind as `secrets.sources` says. */
export function openSources(settings: SourceSettings): {
  sources: readonly SecretSource[];
  warnings: readonly string[];
} {
  const { secrets } = settings.config;
  const order = secrets.sources;
  const all = allSources(settings);
  const place = ({ name, shape }: SecretSource): number => {
    const at = order.indexOf(name);
    return (shape === 'mapped' ? 0 : order.length + 1) + (at === -1 ? order.length : at);
  };
  const unknown = order.filter((name) => !all.some((source) => source.name === name));
  return {
    sources: all.filter(({ name }) => secrets[name].enabled).toSorted((a, b) => place(a) - place(b)),
    warnings: unknown.map((name) => `secrets.sources: there is no '${name}' here; it is passed over`),
  };
}

/** Whether they are switched on or not. */
export function allSources(settings: SourceSettings): readonly SecretSource[] {
  const { env, config } = settings;
  return [onePassword(config.secrets.onepassword, env), bitwarden(bitwardenOptions(settings))];
}

export function bitwardenOptions({ homePath, env, config }: SourceSettings): BitwardenOptions {
  const settings = config.secrets.bitwarden;
  const may = settings.auto_install && config.security.allow_lazy_installs;
  const install = (signal: AbortSignal): Promise<string> => installBws({ homePath, env, signal });
  return { settings, env, homePath, install: may ? install : undefined };
}

/** Variables that lead to a secret manager; none may be set by one. */
export function tokenVariables({ secrets }: LoadedConfig['config']): ReadonlySet<string> {
  return new Set([secrets.onepassword.service_account_token_env, secrets.bitwarden.access_token_env]);
}
