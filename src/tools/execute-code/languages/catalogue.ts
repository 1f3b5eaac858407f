/** Every language of scripts, one line each. The first is what a script is when nothing is said. */
import { javascript } from './javascript.ts';
import type { ScriptLanguage } from './language.ts';
import { python } from './python.ts';

export const scriptLanguages: readonly [ScriptLanguage, ...ScriptLanguage[]] = [python, javascript];
