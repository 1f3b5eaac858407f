/** Excerpts around what was found, for hits that the word index did not find. */

const BEFORE = 60;
const AFTER = 140;

/** Up to 200 characters around the first term, terms between `>>>` and `<<<`, cut ends shown as `...`. */
export function snippetAround(text: string, terms: readonly string[]): string {
  const pattern = anyOf(terms);
  const first = Math.max(0, text.search(pattern));
  const start = wholeCharacter(text, Math.max(0, first - BEFORE));
  const end = wholeCharacter(text, Math.min(text.length, first + AFTER));
  const excerpt = text.slice(start, end).replace(pattern, '>>>$&<<<');
  return `${start > 0 ? '...' : ''}${excerpt}${end < text.length ? '...' : ''}`;
}

/**
 * True when every term stands in the text as a word of its own: next to a letter or digit of its own script it would
 * be part of another word ("art" in "start"), next to another script it is not ("AI" in "用AI写").
 */
export function standsAlone(text: string, terms: readonly string[]): boolean {
  return terms.every((term) => {
    const before = /^[\p{Script=Latin}\p{N}]/u.test(term) ? String.raw`(?<![\p{Script=Latin}\p{N}_])` : '';
    const after = /[\p{Script=Latin}\p{N}]$/u.test(term) ? String.raw`(?![\p{Script=Latin}\p{N}_])` : '';
    return new RegExp(`${before}${literal(term)}${after}`, 'iu').test(text);
  });
}

function anyOf(terms: readonly string[]): RegExp {
  const longestFirst = [...terms].sort((left, right) => right.length - left.length);
  return new RegExp(longestFirst.map(literal).join('|'), 'giu');
}

function literal(term: string): string {
  return term.replace(/[$()*+.?[\\\]^{|}/]/g, String.raw`\$&`);
}

/** Moves an index out of the middle of a surrogate pair. */
function wholeCharacter(text: string, index: number): number {
  const code = text.charCodeAt(index);
  return code >= 0xdc00 && code <= 0xdfff ? index - 1 : index;
}
