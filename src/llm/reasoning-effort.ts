/** How hard a model is to think, from the words of a person to what is asked for. */
import { type EffortWord, effortWords } from '../config/reasoning-effort.ts';
import type { ReasoningEffort } from './protocol.ts';

/** Undefined for the empty word. */
export function effortOf(word: EffortWord): ReasoningEffort | undefined {
  if (word === '') return undefined;
  return word === 'max' || word === 'ultra' ? 'xhigh' : word;
}

/** The same for text that nobody has checked; undefined also for a word that is none. */
export function readEffort(text: string): ReasoningEffort | undefined {
  const word = effortWords.find((known) => known === text.trim().toLowerCase());
  return word === undefined ? undefined : effortOf(word);
}

/**
 * The effort that `overrides` (model name → word) has for a model. A name fits with or without the provider before its
 * slash, and with dots or dashes in its version: `anthropic/claude-opus-4.6` is `claude-opus-4-6`. The most exact wins.
 */
export function effortOverride(
  overrides: Readonly<Record<string, string>>,
  model: string,
): ReasoningEffort | undefined {
  const wanted = spellings(model);
  const entries = Object.entries(overrides).flatMap(([name, word]) => {
    const effort = readEffort(word);
    return effort === undefined ? [] : [{ names: spellings(name), effort }];
  });
  for (const spelling of wanted) {
    const found = entries.find(({ names }) => names.includes(spelling));
    if (found !== undefined) return found.effort;
  }
  return undefined;
}

/** As it is written, with dashes alone, and without what stands before the slash. */
function spellings(model: string): string[] {
  const name = model.trim().toLowerCase();
  const bare = name.slice(name.lastIndexOf('/') + 1);
  return [name, dashed(name), bare, dashed(bare)];
}

function dashed(name: string): string {
  return name.replaceAll('.', '-');
}
