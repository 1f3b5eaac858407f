/** Which fetched value gets which variable, and why others do not. */
import { SHELL_ONLY } from '../config/dotenv.ts';
import { isVariableName } from '../config/env-values.ts';
import type { Variables } from '../config/variables.ts';
import { fetchedMark, fetchedNames, markFetched } from '../lib/fetched-names.ts';
import type { Fetched } from './fetch-secrets.ts';
import type { SecretSource } from './source.ts';

/** What became of one value. */
export interface Placed {
  readonly variable: string;
  readonly source: SecretSource;
  /**
   * `kept`: what was set before stays. `conflict`: another source has it. `protected`: it leads to a secret manager, or
   * decides which files are read. `pinned`: an administrator set it. `invalid`: no variable can be called or hold that.
   */
  readonly fate: 'set' | 'overrode' | 'kept' | 'conflict' | 'protected' | 'pinned' | 'invalid';
}

export interface PlaceRules {
  /** Names that no secret manager may set. */
  readonly tokens: ReadonlySet<string>;
  /** Names that an administrator set. */
  readonly pinned: readonly string[];
}

/** The first source that has a variable wins. Changes nothing. */
export function judgePlaces(env: Variables, fetched: readonly Fetched[], rules: PlaceRules): readonly Placed[] {
  const taken = new Set<string>();
  const set = new Set(Object.entries(env).flatMap(([name, value]) => (value === undefined ? [] : [name])));
  const fateOf = (variable: string, value: string, { overrides }: SecretSource): Placed['fate'] => {
    if (!isVariableName(variable) || value.includes('\0')) return 'invalid';
    if (rules.tokens.has(variable) || SHELL_ONLY.has(variable) || variable === fetchedMark) return 'protected';
    if (rules.pinned.includes(variable)) return 'pinned';
    if (taken.has(variable)) return 'conflict';
    taken.add(variable);
    if (!set.has(variable)) return 'set';
    return overrides ? 'overrode' : 'kept';
  };
  return fetched.flatMap(({ source, values }) =>
    [...values].map(([variable, value]) => ({ variable, source, fate: fateOf(variable, value, source) })),
  );
}

/** Writes the values into `env`, with a mark of which they are; the tokens they were fetched with are marked too. */
export function placeValues(
  env: Record<string, string | undefined>,
  fetched: readonly Fetched[],
  rules: PlaceRules,
): readonly Placed[] {
  const placed = judgePlaces(env, fetched, rules);
  const given = placed.filter(({ fate }) => fate === 'set' || fate === 'overrode');
  for (const { source, values } of fetched) {
    const own = new Set(given.flatMap((one) => (one.source === source ? [one.variable] : [])));
    Object.assign(env, Object.fromEntries([...values].filter(([variable]) => own.has(variable))));
  }
  const set = new Set(Object.keys(env));
  // A program above this one may have fetched what is set here already.
  const names = [...fetchedNames(env), ...rules.tokens, ...given.map(({ variable }) => variable)];
  markFetched(env, new Set(names.filter((name) => set.has(name))));
  return placed;
}
