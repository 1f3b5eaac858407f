/** The text of a Word document. Format: ECMA-376, part 1, chapter 17 (WordprocessingML). */
import { readXml, type XmlReader } from './read-xml.ts';
import { TextBuffer } from './text-buffer.ts';
import { ZipParts } from './zip-parts.ts';

/** Headings with `#`, items of lists with `-`, rows of tables with `|` between cells; notes at the end. Throws for what is none. */
export async function docxText(bytes: Uint8Array): Promise<string> {
  const parts = await ZipParts.open(bytes);
  const text = new TextBuffer();
  await readXml(parts.read('word/document.xml'), new Body(text));
  for (const [part, title] of [
    ['word/footnotes.xml', 'Footnotes'],
    ['word/endnotes.xml', 'Endnotes'],
    ['word/comments.xml', 'Comments'],
  ] as const) {
    if (!parts.has(part)) continue;
    const notes = new TextBuffer();
    await readXml(parts.read(part), new Body(notes));
    const said = notes.toString();
    if (said !== '') text.add(`\n# ── ${title} ──\n${said}`);
  }
  return text.toString();
}

/** One line of text under way; text boxes hold paragraphs inside of a paragraph. */
interface Paragraph {
  text: string;
  mark: string;
}

class Body implements XmlReader {
  readonly #out: TextBuffer;
  readonly #paragraphs: Paragraph[] = [];
  /** Tables that are open, each with the cells of its row so far; a cell is its paragraphs. */
  readonly #tables: { cells: string[]; cell: string[] }[] = [];
  #isText = false;
  /** How deep in what is shown elsewhere, or no longer. */
  #hidden = 0;

  constructor(out: TextBuffer) {
    this.#out = out;
  }

  get isDone(): boolean {
    return this.#out.isFull;
  }

  open(name: string, attributes: Readonly<Record<string, string>>): void {
    if (hiddenElements.has(name)) this.#hidden += 1;
    if (this.#hidden > 0) return;
    const paragraph = this.#paragraphs.at(-1);
    if (name === 'p') this.#paragraphs.push({ text: '', mark: '' });
    else if (name === 'tbl') this.#tables.push({ cells: [], cell: [] });
    else if (name === 't') this.#isText = true;
    else if (paragraph === undefined) return;
    else if (name === 'pStyle') paragraph.mark = markOf(attributes['val'] ?? '') || paragraph.mark;
    else if (name === 'numPr' && paragraph.mark === '') paragraph.mark = '- ';
    else if (name === 'footnoteReference' || name === 'endnoteReference')
      paragraph.text += `[${attributes['id'] ?? ''}]`;
    else paragraph.text += characters[name] ?? '';
  }

  text(text: string): void {
    const paragraph = this.#paragraphs.at(-1);
    if (this.#isText && this.#hidden === 0 && paragraph !== undefined) paragraph.text += text;
  }

  close(name: string): void {
    if (this.#hidden > 0) {
      if (hiddenElements.has(name)) this.#hidden -= 1;
      return;
    }
    if (name === 't') this.#isText = false;
    else if (name === 'p') this.#endParagraph();
    else if (name === 'tc') this.#endCell();
    else if (name === 'tr') this.#endRow();
    else if (name === 'tbl') this.#endTable();
  }

  #endParagraph(): void {
    const { text, mark } = this.#paragraphs.pop() ?? { text: '', mark: '' };
    const cell = this.#tables.at(-1)?.cell;
    const line = text.trim() === '' ? '' : mark + text;
    if (cell === undefined) this.#out.add(line);
    else cell.push(line);
  }

  #endCell(): void {
    const table = this.#tables.at(-1);
    if (table === undefined) return;
    table.cells.push(
      table.cell
        .filter((line) => line !== '')
        .join(' ')
        .replaceAll('\n', ' '),
    );
    table.cell = [];
  }

  #endRow(): void {
    const table = this.#tables.at(-1);
    if (table === undefined) return;
    const row = `| ${table.cells.join(' | ')} |`;
    table.cells = [];
    // A table in a cell becomes a part of that cell.
    const outer = this.#tables.at(-2);
    if (outer === undefined) this.#out.add(row);
    else outer.cell.push(row);
  }

  #endTable(): void {
    this.#tables.pop();
    if (this.#tables.length === 0) this.#out.add('');
  }
}

/** What a reader of the document does not see: fallbacks of what stands beside them, fields' commands, deleted and moved text. */
const hiddenElements: ReadonlySet<string> = new Set(['Fallback', 'instrText', 'delText', 'del', 'moveFrom', 'sectPr']);

const characters: Readonly<Record<string, string>> = {
  tab: '\t',
  ptab: '\t',
  br: '\n',
  cr: '\n',
  noBreakHyphen: '-',
};

function markOf(style: string): string {
  if (/^title$/i.test(style)) return '# ';
  const [, level] = /^(?:heading|berschrift|überschrift|titre|t[ií]tulo)\s?([1-9])$/i.exec(style) ?? [];
  if (level !== undefined) return `${'#'.repeat(Math.min(6, Number(level)))} `;
  return /^list(?!continue)/i.test(style) ? '- ' : '';
}
