/** How the elements of a page are written in Markdown. */
import TurndownService from 'turndown';

/** A converter for pages: tables become Markdown tables, pictures inside the page become a note. */
export function createTurndown(): TurndownService {
  const turndown = new TurndownService({
    headingStyle: 'atx',
    hr: '---',
    bulletListMarker: '-',
    codeBlockStyle: 'fenced',
    emDelimiter: '*',
  });
  turndown.addRule('inlinePicture', {
    filter: (node) => node.nodeName === 'IMG' && attribute(node, 'src').startsWith('data:'),
    replacement: () => '[BASE64_IMAGE_REMOVED]',
  });
  // A link around nothing, or to nowhere, says nothing.
  turndown.addRule('bareLink', {
    filter: (node) => node.nodeName === 'A' && attribute(node, 'href') === '',
    replacement: (content) => content,
  });
  turndown.addRule('cell', {
    filter: ['td', 'th'],
    replacement: (content) =>
      ` ${content
        .trim()
        .replace(/\s*\n\s*/g, ' ')
        .replaceAll('|', '\\|')} |`,
  });
  turndown.addRule('row', {
    filter: 'tr',
    replacement: (content, node) => {
      const cells = [...node.childNodes].filter(({ nodeName }) => nodeName === 'TD' || nodeName === 'TH').length;
      const line = `|${content.replaceAll('\n', ' ')}\n`;
      return isFirstRow(node) ? `${line}|${' --- |'.repeat(cells)}\n` : line;
    },
  });
  turndown.addRule('tablePart', { filter: ['thead', 'tbody', 'tfoot'], replacement: (content) => content });
  turndown.addRule('table', { filter: 'table', replacement: (content) => `\n\n${content.trim()}\n\n` });
  return turndown;
}

/** What is used of the elements that the converter hands out. */
interface Row {
  readonly nodeName: string;
  readonly previousElementSibling: Row | null;
  readonly parentNode: Row | null;
}

function isFirstRow(row: Row): boolean {
  if (row.previousElementSibling !== null) return false;
  const part = row.parentNode;
  if (part === null || part.nodeName === 'TABLE') return true;
  return !['THEAD', 'TBODY', 'TFOOT'].includes(part.previousElementSibling?.nodeName ?? '');
}

function attribute(node: { getAttribute(name: string): string | null }, name: string): string {
  return node.getAttribute(name) ?? '';
}
