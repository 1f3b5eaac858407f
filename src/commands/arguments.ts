/** What stands behind a slash command, checked: a wrong word is answered with the right ones in one line. */
import { UserError } from '../lib/errors.ts';

/** The word among `known` that was typed; undefined when nothing was. Throws `UserError` for another one. */
export function oneOf<Word extends string>(name: string, args: string, known: readonly Word[]): Word | undefined {
  if (args === '') return undefined;
  const word = known.find((candidate) => candidate === args.toLowerCase());
  if (word !== undefined) return word;
  throw new UserError(`/${name} does not know '${args.slice(0, 60)}'.`, { hint: `Use one of: ${known.join(', ')}` });
}
