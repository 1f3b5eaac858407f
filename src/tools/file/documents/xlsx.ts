/** The cells of an Excel workbook as text. Format: ECMA-376, part 1, chapter 18 (SpreadsheetML). */
import { readXml } from './read-xml.ts';
import { readSharedStrings, SheetReader } from './sheet-reader.ts';
import { TextBuffer } from './text-buffer.ts';
import { readDateStyles } from './cell-dates.ts';
import { ZipParts } from './zip-parts.ts';

interface Sheet {
  readonly name: string;
  readonly part: string;
  readonly isHidden: boolean;
}

/** Each sheet under a heading, a line for each row, tabs between cells. Throws for what is no workbook. */
export async function xlsxText(bytes: Uint8Array): Promise<string> {
  const parts = await ZipParts.open(bytes);
  const { sheets, from1904 } = await readWorkbook(parts);
  const strings = parts.has('xl/sharedStrings.xml') ? await readSharedStrings(parts.read('xl/sharedStrings.xml')) : [];
  const dateStyles = parts.has('xl/styles.xml') ? await readDateStyles(parts.read('xl/styles.xml')) : new Set<number>();
  const text = new TextBuffer();
  for (const { name, part, isHidden } of sheets) {
    if (text.isFull) break;
    text.add(`\n# ── Sheet '${name}'${isHidden ? ' (hidden)' : ''} ──`);
    // A sheet that is only a chart has no cells.
    if (!parts.has(part)) continue;
    const reader = new SheetReader({ out: text, strings, dateStyles, from1904 });
    await readXml(parts.read(part), reader);
    reader.end();
  }
  return text.toString();
}

async function readWorkbook(parts: ZipParts): Promise<{ sheets: readonly Sheet[]; from1904: boolean }> {
  const targets = new Map<string, string>();
  await readXml(parts.read('xl/_rels/workbook.xml.rels'), {
    open: (name, { Id: id = '', Target: target = '' }) => {
      if (name === 'Relationship') targets.set(id, target.startsWith('/') ? target.slice(1) : `xl/${target}`);
    },
  });
  const sheets: Sheet[] = [];
  let from1904 = false;
  await readXml(parts.read('xl/workbook.xml'), {
    open: (element, { name = '', id = '', state = '', date1904 = '' }) => {
      if (element === 'workbookPr') from1904 = date1904 === '1' || date1904 === 'true';
      if (element !== 'sheet') return;
      sheets.push({ name, part: targets.get(id) ?? '', isHidden: /hidden/i.test(state) });
    },
  });
  return { sheets, from1904 };
}
