/** Reads what a person typed into the search box; whatever it is, the result is a query that a store can run. */

export type Operator = 'AND' | 'OR' | 'NOT';

/** One thing to look for: a word, or a phrase whose words must be adjacent. */
export interface Term {
  readonly text: string;
  /** `deploy*`: words that begin so. */
  readonly prefix: boolean;
}

export interface ParsedQuery {
  readonly terms: readonly Term[];
  /** `operators[i]` stands between `terms[i]` and `terms[i + 1]`. */
  readonly operators: readonly Operator[];
  /** Holds a script that writes words without spaces, where a word index finds only whole runs. */
  readonly unspaced: boolean;
  /** All terms must be found, each as it is written: no `OR`, `NOT` or prefix. */
  readonly plain: boolean;
}

/** As in the original. */
const MAX_QUERY = 2048;
const MAX_TERMS = 32;
const UNSPACED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Bopomofo}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;

/** Undefined when nothing is left to look for. */
export function parseQuery(query: string): ParsedQuery | undefined {
  const terms: Term[] = [];
  const operators: Operator[] = [];
  let pending: Operator | undefined;
  for (const token of tokens(query)) {
    if (token === 'AND' || token === 'OR' || token === 'NOT') {
      // Of several in a row (`a AND NOT b`) the last one says what is meant.
      pending = token;
      continue;
    }
    if (terms.length === MAX_TERMS) break;
    if (terms.length > 0) operators.push(pending ?? 'AND');
    terms.push(token);
    pending = undefined;
  }
  if (terms.length === 0) return undefined;
  return {
    terms,
    operators,
    unspaced: terms.some((term) => UNSPACED.test(term.text)),
    plain: operators.every((operator) => operator === 'AND') && terms.every((term) => !term.prefix),
  };
}

function tokens(query: string): (Term | Operator)[] {
  const clean = query
    .toWellFormed()
    .slice(0, MAX_QUERY)
    .toWellFormed()
    .replace(/\p{Cc}/gu, ' ');
  const found: (Term | Operator)[] = [];
  // A quote without a partner is passed over.
  for (const [token, phrase] of clean.matchAll(/"([^"]*)"|[^\s"]+/gu)) {
    if (phrase === undefined) found.push(...words(token));
    else if (phrase.trim() !== '') found.push({ text: phrase.trim().replace(/\s+/g, ' '), prefix: false });
  }
  return found;
}

function words(token: string): (Term | Operator)[] {
  return token
    .replace(/[+{}()^]/g, ' ')
    .split(' ')
    .flatMap((word): (Term | Operator)[] => {
      if (word === 'AND' || word === 'OR' || word === 'NOT') return [word];
      const text = word.replace(/^\*+|\*+$/g, '');
      return text === '' ? [] : [{ text, prefix: /[^*]\*+$/.test(word) }];
    });
}
