/** Keys that lie in variables: the one place that looks a variable up by a name that a profile or a person gave. */
import type { Variables } from '../config/variables.ts';
import type { ProviderAccess } from '../llm/provider.ts';
import { usableSecret } from '../lib/secrets.ts';

/** A key that the environment or the configuration holds, with where it is from (`env:NAME`, `config:<name>`). */
export interface KeySeed {
  readonly source: string;
  readonly secret: string;
}

/** The value of a variable without the spaces around it; undefined when there is none. */
export function namedText(name: string | undefined, variables: Variables): string | undefined {
  const text = name === undefined ? undefined : variables[name]?.trim();
  return text === '' ? undefined : text;
}

/**
 * The keys that the variables hold, in the order of their names; placeholders are none.
 *
 * @example
 * namedKeys(['OPENAI_API_KEY', 'OTHER'], env); // [{ source: 'env:OPENAI_API_KEY', secret: 'sk-…' }]
 */
export function namedKeys(names: readonly (string | undefined)[], variables: Variables): readonly KeySeed[] {
  return names.flatMap((name) => seedOf(`env:${name}`, namedText(name, variables)));
}

/** None for nothing, and for a placeholder. */
export function seedOf(source: string, value: string | undefined): readonly KeySeed[] {
  const secret = usableSecret(value);
  return secret === undefined ? [] : [{ source, secret }];
}

/** True when a variable of the provider holds a key, wherever that may be sent. */
export function hasKey({ keyVariables }: ProviderAccess, variables: Variables): boolean {
  return namedKeys(keyVariables, variables).length > 0;
}

/** The variable that a key of the provider is best stored in: one that is in use, else the one with the usual name. */
export function keyVariable({ keyVariables }: ProviderAccess, variables: Variables = {}): string | undefined {
  const inUse = keyVariables.find((name) => namedKeys([name], variables).length > 0);
  return inUse ?? keyVariables.find((name) => name.endsWith('_API_KEY')) ?? keyVariables[0];
}
