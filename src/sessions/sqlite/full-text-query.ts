/** Queries in the language of FTS5 (https://www.sqlite.org/fts5.html#full_text_query_syntax). */
import type { ParsedQuery, Term } from '../search-query.ts';

/** The FTS5 expression for the word index; undefined when a term has no letter or digit, so no word to look up. */
export function wordExpression(query: ParsedQuery): string | undefined {
  if (!query.terms.every((term) => /[\p{L}\p{N}]/u.test(term.text))) return undefined;
  return join(query, (term) => `${quote(term.text)}${term.prefix ? ' *' : ''}`);
}

/** Terms written by `write`, with their operators between them; NOT binds closest, OR loosest, as in FTS5. */
export function join(query: Pick<ParsedQuery, 'terms' | 'operators'>, write: (term: Term) => string): string {
  return query.terms
    .map((term, index) => (index === 0 ? write(term) : `${query.operators[index - 1] ?? 'AND'} ${write(term)}`))
    .join(' ');
}

/** A string literal of FTS5. Everything is quoted, so no character of a term can be syntax. */
export function quote(text: string): string {
  return `"${text.replaceAll('"', '""')}"`;
}
