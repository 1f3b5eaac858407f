/** Brings the variables of a platform and its keys of config.yaml together, and says what is wrong with them. */
import type * as z from 'zod';
import { filled, firstSet } from '../../config/env-values.ts';
import type { Variables } from '../../config/variables.ts';

export type Block = Readonly<Record<string, unknown>>;

export interface KeysOfPlatform {
  /** In messages. */
  readonly label: string;
  readonly shape: Readonly<Record<string, z.ZodType>>;
  /** Keys that several platforms share, with their variables: config.yaml beats the variable. */
  readonly sharedKeys: Readonly<Record<string, string>>;
  /** Everything else: the variable beats config.yaml. */
  readonly ownKeys: Readonly<Record<string, string>>;
  /** Other names of keys. */
  readonly aliases: Readonly<Record<string, string>>;
  /** Keys with lists of regular expressions. */
  readonly patterns: readonly string[];
}

/** One value for each key that stands anywhere; not checked yet. A key without a value is none. */
export function layered(variables: Variables, given: Block, keys: KeysOfPlatform): Record<string, unknown> {
  const block = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== '' && value !== null));
  // A key of the shared list under another name: config.yaml beats the variable there.
  const shared = new Set<string>();
  for (const [alias, name] of Object.entries(keys.aliases)) {
    if (!(alias in block)) continue;
    block[name] ??= block[alias];
    shared.add(name);
  }
  for (const [name, known] of Object.entries(keys.sharedKeys)) block[name] ??= variable(variables, known);
  for (const [name, known] of Object.entries(keys.ownKeys))
    block[name] = shared.has(name) ? block[name] : (variable(variables, known) ?? block[name]);
  return block;
}

/** Values that cannot be are told and left out, so that the standard is used. Keys of other parts stay as they are. */
export function checked(block: Block, keys: KeysOfPlatform, problems: string[]): Record<string, unknown> {
  const { label, shape, patterns } = keys;
  const extra: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(block)) {
    // The token has a place of its own.
    if (value === undefined || value === null || name === 'token') continue;
    const parsed = Object.hasOwn(shape, name) ? shape[name]?.safeParse(value) : undefined;
    if (parsed === undefined) extra[name] = value;
    else if (parsed.success) extra[name] = parsed.data;
    else
      problems.push(
        `${name} of ${label} ${parsed.error.issues[0]?.message ?? 'cannot be used'}; the standard is used.`,
      );
  }
  for (const name of patterns) {
    const given = extra[name];
    if (!Array.isArray(given)) continue;
    extra[name] = given.filter((pattern) => {
      if (isPattern(String(pattern))) return true;
      problems.push(`${name} of ${label}: '${String(pattern).slice(0, 80)}' is no regular expression and is left out.`);
      return false;
    });
  }
  return extra;
}

/** Undefined for one that is not set, or empty. */
export function variable(variables: Variables, name: string): string | undefined {
  return filled(firstSet(variables, [name])?.value);
}

export function text(value: unknown): string | undefined {
  return typeof value === 'string' ? filled(value) : undefined;
}

function isPattern(pattern: string): boolean {
  try {
    return new RegExp(pattern, 'i').ignoreCase;
  } catch {
    return false;
  }
}
