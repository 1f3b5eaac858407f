/** How values of environment variables are read. */
import type { Variables } from './variables.ts';

const TRUE_WORDS = new Set(['1', 'true', 'yes', 'on']);
const FALSE_WORDS = new Set(['0', 'false', 'no', 'off', '']);

/** True or false for `1 true yes on` / `0 false no off` and empty in any case; `undefined` for anything else. */
export function parseBoolean(text: string): boolean | undefined {
  const word = text.trim().toLowerCase();
  if (TRUE_WORDS.has(word)) return true;
  return FALSE_WORDS.has(word) ? false : undefined;
}

/** True only when the variable is set to one of the true words. */
export function isOn(text: string | undefined): boolean {
  return text !== undefined && parseBoolean(text) === true;
}

/** An environment variable whose value could not be used. */
export interface EnvProblem {
  readonly variable: string;
  readonly message: string;
}

/** The value without the spaces around it; undefined when nothing is left. */
export function filled(value: string | undefined): string | undefined {
  return value?.trim() || undefined;
}

/** A number of 0 or more. Anything else counts as unset and is added to `problems`. */
export function readNumber(env: Variables, variable: string, problems: EnvProblem[]): number | undefined {
  const text = filled(env[variable]);
  if (text === undefined) return undefined;
  const value = Number(text);
  if (Number.isFinite(value) && value >= 0) return value;
  problems.push({ variable, message: `'${text.slice(0, 40)}' is not a number; the default is used` });
  return undefined;
}

/** The first of the variables that is set, with its value. */
export function firstSet(
  env: Variables,
  names: readonly string[],
): { readonly name: string; readonly value: string } | undefined {
  for (const name of names) {
    const value = env[name];
    if (value) return { name, value };
  }
  return undefined;
}

/** A URL without the user name and password in it. */
export function withoutUserInfo(url: string): string {
  return url.replaceAll(/\/\/[^/@\s]*@/g, '//***@');
}

/** A name the shell can carry. */
export function isVariableName(name: string): boolean {
  return /^[A-Za-z_][A-Za-z0-9_]*$/.test(name);
}
