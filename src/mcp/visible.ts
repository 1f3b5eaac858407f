/** What servers write, without what a person would not see where a model reads it. */

/** Control codes but line breaks and tabs, marks of direction, tags, joiners. */
const unseen = /[\p{Cf}\p{Cs}\p{Co}\p{Zl}\p{Zp}\u{e0100}-\u{e01ef}]|(?![\n\t])\p{Cc}/gu;

/** Emoji lose how they are joined, which says nothing. */
export function visible(text: string): string {
  return text.replaceAll(unseen, '');
}

/** The same on one line. */
export function visibleLine(text: string): string {
  return visible(text.replaceAll(/\s+/g, ' ')).trim();
}
