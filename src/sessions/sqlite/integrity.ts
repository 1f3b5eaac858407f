/** What SQLite's own check finds in a database of sessions, without what only looks like damage. */
import { text } from './columns.ts';
import type { Row } from './connection.ts';

/** Lines of `PRAGMA integrity_check`, at most 20; empty for a sound database. `all` runs a statement. */
export function integrityProblems(all: (sql: string) => readonly Row[]): string[] {
  const problems = all('PRAGMA integrity_check(20)')
    .flatMap((row) => text(row, 'integrity_check').split('\n'))
    .filter((problem) => problem !== 'ok' && problem !== '' && !problem.startsWith('***'));
  return problems.filter((problem) => !builtOtherwise(problem, all));
}

/**
 * Older SQLite libraries end a text at a NUL character when they cut it for the trigram index, newer ones read on and miss
 * the rest in the index. Such a row is found by what stands before; a rebuild of the indexes brings the rest in.
 */
function builtOtherwise(problem: string, all: Parameters<typeof integrityProblems>[0]): boolean {
  const table = /^malformed inverted index for FTS5 table main\.(messages_fts_trigram)$/.exec(problem)?.[1];
  if (table === undefined) return false;
  return all(`SELECT 1 FROM ${table}_content WHERE instr(CAST(c0 AS BLOB), x'00') > 0 LIMIT 1`).length > 0;
}
