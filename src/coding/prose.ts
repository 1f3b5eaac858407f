/** Files that say something to people: a change of them needs no check of the code. */
import { basename, extname } from 'node:path';

const endings = new Set('.md .markdown .mdx .rst .txt .text .adoc .asciidoc .org .log .csv .tsv'.split(' '));
const names = new Set(['LICENSE', 'NOTICE', 'AUTHORS', 'CONTRIBUTORS', 'CHANGELOG', 'CODEOWNERS']);

export function isProse(path: string): boolean {
  return endings.has(extname(path).toLowerCase()) || names.has(basename(path).toUpperCase());
}
