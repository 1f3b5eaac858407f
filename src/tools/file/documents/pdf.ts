/** The text of a PDF, page by page. */
import { getDocumentProxy } from 'unpdf';
import { TextBuffer } from './text-buffer.ts';

const maxPages = 3000;

/** Empty where there is no text, as in scanned pages. Throws for what is no PDF, or one that needs a password. */
export async function pdfText(bytes: Uint8Array): Promise<string> {
  const pdf = await getDocumentProxy(bytes, { useSystemFonts: false, stopAtErrors: false });
  const text = new TextBuffer();
  let hasText = false;
  const pages = Math.min(pdf.numPages, maxPages);
  for (let number = 1; number <= pages && !text.isFull; number += 1) {
    const page = await pdf.getPage(number);
    const { items } = await page.getTextContent();
    const lines = items
      .map((item) => ('str' in item ? item.str + (item.hasEOL ? '\n' : '') : ''))
      .join('')
      .replaceAll(/[ \t]+$/gm, '')
      .trim();
    hasText ||= lines !== '';
    text.add(`${number === 1 ? '' : '\n'}# ── Page ${number} ──\n${lines}`);
    page.cleanup();
  }
  if (pdf.numPages > maxPages) text.add(`[There are ${pdf.numPages} pages; the first ${maxPages} are shown.]`);
  return hasText ? text.toString() : '';
}
