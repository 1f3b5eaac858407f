/** Every language of scripts, one line each. The first is what a script is when nothing is said. */
import { javascript } from './javascript.ts';
import type { ProgramPlaces, ScriptLanguage } from './language.ts';
import { python } from './python.ts';

export const scriptLanguages: readonly [ScriptLanguage, ...ScriptLanguage[]] = [python, javascript];

/** The programs of this machine that run scripts, by language. */
export type Interpreters = Readonly<Partial<Record<ScriptLanguage['id'], string>>>;

export function findInterpreters(places: ProgramPlaces): Interpreters {
  return Object.fromEntries(
    scriptLanguages.flatMap((language) => {
      const program = language.find(places);
      return program === undefined ? [] : [[language.id, program]];
    }),
  );
}
