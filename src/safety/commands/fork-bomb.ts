/** Recognises a function that multiplies itself without end. */
import type { SimpleCommand } from './simple-command.ts';

/** `f(){ f|f& }` and its relatives: the function starts itself more than once, at least once on the side. */
export function isForkBomb(name: string, body: readonly SimpleCommand[]): boolean {
  const own = body.filter((command) => command.name === name.toLowerCase());
  const pipesIntoItself = own.some((command) => command.pipedFrom.some((from) => from.name === command.name));
  const withoutArguments = own.filter((command) => command.args.length === 0);
  return pipesIntoItself || (withoutArguments.length > 1 && withoutArguments.some((command) => command.background));
}

/** The same in a text that cannot be parsed. */
export const forkBombText =
  /(?<![\w:.])([\w:.]{1,40})\s{0,9}\(\)\s{0,9}\{[^}]{0,200}?(?<![\w:])\1\s{0,9}\|\s{0,9}\1\s{0,9}&/;
