/** What the input box offers behind an `@`: kinds of references, and the files and folders that fit. */
import { type AutocompleteItem, fuzzyMatch } from '@earendil-works/pi-tui';
import type { Entry } from '../../references/list-files.ts';
import { referenceKinds, writeReference } from '../../references/parse.ts';
import { terminalText } from '../render/terminal-text.ts';

export interface TypedReference {
  /** From the `@` to the cursor. */
  readonly raw: string;
  readonly kind: 'file' | 'folder' | undefined;
  /** What is looked for. */
  readonly query: string;
}

const maxOffers = 50;

/** The reference that is being typed at the end of the text, quoted or not. */
export function typedReference(before: string): TypedReference | undefined {
  const match = /(?<![\p{L}\p{N}_/])@(?:(file|folder):(?:(["'`])([^"'`\n]*)|([^\s"'`]*))|([^\s:"'`]*))$/u.exec(before);
  if (match === null) return undefined;
  const [raw, kind, , inQuotes, plain, bare] = match;
  return {
    raw,
    kind: kind === 'file' || kind === 'folder' ? kind : undefined,
    query: inQuotes ?? plain ?? bare ?? '',
  };
}

/** Empty when what was typed is a reference already, so that Enter sends it. */
export function referenceOffers({ raw, kind, query }: TypedReference, entries: readonly Entry[]): AutocompleteItem[] {
  const kinds = kind === undefined ? kindOffers(query) : [];
  if (kinds.some(({ value }) => value === raw && !value.endsWith(':'))) return [];
  const paths = ranked(query, kind, entries).flatMap(({ path, folder }) => {
    const shown = folder ? `${path}/` : path;
    const value = writeReference(folder ? 'folder' : 'file', shown);
    // What holds control characters or every kind of quote cannot be named in a message.
    return value === undefined || /\p{Cc}/u.test(path) ? [] : [{ value, label: terminalText(shown) }];
  });
  if (paths.some(({ value }) => value === raw)) return [];
  return [...kinds, ...paths].slice(0, maxOffers);
}

function kindOffers(query: string): AutocompleteItem[] {
  return referenceKinds
    .filter(({ text }) => text.startsWith(`@${query.toLowerCase()}`))
    .map(({ text, meaning }) => ({ value: text, label: text, description: meaning }));
}

/** Nothing typed: what lies in the folder itself. Else the nearest first; a name counts more than the folders before it. */
function ranked(query: string, kind: TypedReference['kind'], entries: readonly Entry[]): Entry[] {
  const wanted = kind === undefined ? entries : entries.filter(({ folder }) => folder === (kind === 'folder'));
  if (query === '') return wanted.filter(({ path }) => !path.includes('/')).slice(0, maxOffers);
  const scored = wanted.flatMap((entry) => {
    const score = scoreOf(query, entry);
    return score === undefined ? [] : [{ entry, score }];
  });
  scored.sort((a, b) => a.score - b.score || a.entry.path.length - b.entry.path.length);
  return scored.slice(0, maxOffers).map(({ entry }) => entry);
}

/** Lower is nearer. */
function scoreOf(query: string, { path, folder }: Entry): number | undefined {
  const shown = folder ? `${path}/` : path;
  const whole = fuzzyMatch(query, shown);
  if (!whole.matches) return undefined;
  const name = fuzzyMatch(query, path.slice(path.lastIndexOf('/') + 1));
  return name.matches ? Math.min(whole.score, name.score - 20) : whole.score;
}
