/** The text of a file as it is shown: its own, or what a document says; or why there is none to show. */
import type { FilePath, ToolContext } from '../../agent/tool.ts';
import type { ToolServices } from '../services.ts';
import { kindByName, looksBinary } from './content-kind.ts';
import { documentKind, maxDocumentBytes } from './documents/document-kind.ts';
import { type FileProblem, findFile, readFound } from './file-access.ts';

export interface ShownText {
  readonly text: string;
  readonly bytes: Uint8Array;
  /** Taken out of a document: what is shown is not what a write would have to hold. */
  readonly isExtracted: boolean;
}

export async function shownText(
  target: FilePath,
  { services, signal }: ToolContext<ToolServices>,
): Promise<ShownText | (FileProblem & { readonly is_image?: true })> {
  const { files } = services;
  const found = await findFile(files, target);
  if ('error' in found) return found;
  const kind = kindByName(target.path);
  if (kind === 'image') {
    const error = `${target.path} is an image, and this tool reads text. Use vision_analyze if you have it; otherwise ask the user to attach the picture to a message.`;
    return { error, is_image: true, is_binary: true, file_size: found.size };
  }
  const document = found.size > maxDocumentBytes ? undefined : documentKind(target.path);
  if (document !== undefined) {
    const opened = await readFound(files, target, found, signal, maxDocumentBytes);
    if ('error' in opened) return opened;
    const { extractDocument } = await import('./documents/extract-document.ts');
    const text = await extractDocument(document, opened.bytes, signal);
    if (text === '') return withoutText(target, found.size);
    if (text !== undefined) return { text, bytes: opened.bytes, isExtracted: true };
  }
  if (kind === 'binary') return binaryFile(target, found.size);
  const opened = await readFound(files, target, found, signal);
  if ('error' in opened) return opened;
  const text = new TextDecoder('utf-8', { ignoreBOM: true }).decode(opened.bytes);
  if (looksBinary(text)) return binaryFile(target, found.size);
  return { text: text.replace(/^\uFEFF/, ''), bytes: opened.bytes, isExtracted: false };
}

function binaryFile(target: FilePath, size: number): FileProblem {
  const error = `${target.path} is a binary file and cannot be shown as text. If it holds a picture, use vision_analyze if you have it.`;
  return { error, is_binary: true, file_size: size };
}

function withoutText(target: FilePath, size: number): FileProblem {
  const error = `${target.path} is a document without any text, such as one of scanned pages. Make pictures of its pages and use vision_analyze if you have it.`;
  return { error, is_binary: true, file_size: size };
}
