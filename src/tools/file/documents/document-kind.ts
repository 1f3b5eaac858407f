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

/** True for the bytes of a real document (an archive or a PDF), which text in its place would destroy. */
export function isRealDocument(path: string, bytes: Uint8Array): boolean {
  const kind = documentKind(path);
  if (kind === undefined || kind === 'ipynb') return false;
  const start = Buffer.from(bytes.subarray(0, 4)).toString('latin1');
  return start === 'PK\u0003\u0004' || start === '%PDF';
}
