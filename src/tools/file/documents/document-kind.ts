/** Which files are documents whose text can be taken out of them. */
import { extensionOf } from '../content-kind.ts';

const documentKinds = ['docx', 'xlsx', 'pdf', 'ipynb'] as const;
export type DocumentKind = (typeof documentKinds)[number];

/** Larger ones are not looked into. */
export const maxDocumentBytes = 50 * 1024 * 1024;

/** By the name; undefined for what is no document. */
export function documentKind(path: string): DocumentKind | undefined {
  const extension = extensionOf(path);
  return documentKinds.find((kind) => kind === extension);
}
