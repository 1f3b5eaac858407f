/** Entry of the thread that takes the text out of one document: what a document makes slow or fills with memory ends with it. */
import { parentPort, workerData } from 'node:worker_threads';
import type { DocumentKind } from './document-kind.ts';

const { kind, bytes }: { readonly kind: DocumentKind; readonly bytes: Uint8Array } = workerData;
parentPort?.postMessage(await textOf(), []);

async function textOf(): Promise<string> {
  switch (kind) {
    case 'docx':
      return await (await import('./docx.ts')).docxText(bytes);
    case 'xlsx':
      return await (await import('./xlsx.ts')).xlsxText(bytes);
    case 'pdf':
      return await (await import('./pdf.ts')).pdfText(bytes);
    case 'ipynb':
      return (await import('./notebook.ts')).notebookText(new TextDecoder().decode(bytes));
  }
}
