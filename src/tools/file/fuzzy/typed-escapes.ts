/** Backslashes that a model put in front of characters because it thought of a string in a program. */

/** A quote that both texts have escaped and the place in the file has not: the texts were escaped once too often. */
export function strayEscape(found: string, pattern: string, replacement: string): string | undefined {
  return ["\\'", '\\"'].find(
    (escape) => pattern.includes(escape) && replacement.includes(escape) && !found.includes(escape),
  );
}

/** The new text with a typed `\t` as a tab, where the place has real tabs and no typed ones. */
export function withRealTabs(found: string, replacement: string): string {
  return found.includes('\t') && !found.includes('\\t') ? replacement.replaceAll('\\t', '\t') : replacement;
}
