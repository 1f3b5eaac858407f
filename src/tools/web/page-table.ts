/** Tables of a page as Markdown tables; tables that only place things on the page are none. */
import type { PageElement } from './page-tree.ts';

const maxColumns = 60;
const parts: ReadonlySet<string> = new Set(['thead', 'tbody', 'tfoot']);

/** Its lines; undefined when it is no table of data. `write` gives the text of a cell in one line. */
export function tableOf(table: PageElement, write: (cell: PageElement) => string): readonly string[] | undefined {
  const read = readRows(table);
  if (read === undefined) return undefined;
  const { caption, rows } = read;
  const columns = Math.max(...rows.map((row) => row.reduce((sum, cell) => sum + spanOf(cell), 0)));
  if (rows.length === 0 || columns < 2 || columns > maxColumns) return undefined;
  const lines = rows.map((row) => {
    const cells = row.flatMap((cell) => [escaped(write(cell)), ...Array.from({ length: spanOf(cell) - 1 }, () => '')]);
    return lineOf([...cells, ...Array.from({ length: columns - cells.length }, () => '')]);
  });
  const rule = lineOf(Array.from({ length: columns }, () => '---'));
  const title = caption === undefined ? '' : escaped(write(caption));
  const [head = '', ...body] = lines;
  return [...(title === '' ? [] : [title, '']), head, rule, ...body];
}

interface Rows {
  readonly caption: PageElement | undefined;
  readonly rows: readonly (readonly PageElement[])[];
}

/** Undefined where something else stands between rows and cells, or a table or a list in a cell. */
function readRows(table: PageElement): Rows | undefined {
  const rows: PageElement[][] = [];
  let caption: PageElement | undefined;
  const open: (PageElement | string)[] = table.children.toReversed();
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (typeof next === 'string') {
      if (next.trim() !== '') return undefined;
    } else if (parts.has(next.name)) open.push(...next.children.slice(0, maxRows).toReversed());
    else if (next.name === 'tr') {
      const cells = cellsOf(next);
      if (cells === undefined) return undefined;
      if (cells.length > 0) rows.push(cells);
    } else if (next.name === 'caption' && caption === undefined) caption = next;
    else if (next.name !== 'colgroup' && next.name !== 'col') return undefined;
    if (rows.length > maxRows) return undefined;
  }
  return { caption, rows };
}

const maxRows = 20_000;

function cellsOf(row: PageElement): PageElement[] | undefined {
  const cells: PageElement[] = [];
  for (const child of row.children) {
    if (typeof child === 'string') {
      if (child.trim() !== '') return undefined;
    } else if (child.name !== 'td' && child.name !== 'th') return undefined;
    else if (isPlace(child)) return undefined;
    else cells.push(child);
  }
  return cells;
}

/** What a page is made of stands in it, not a value. */
function isPlace(cell: PageElement): boolean {
  const open: PageElement[] = [cell];
  for (let next = open.pop(), seen = 0; next !== undefined; next = open.pop(), seen += 1) {
    if (next.name === 'table' || next.name === 'pre' || /^h[1-6]$/.test(next.name) || seen > 500) return true;
    for (const child of next.children) if (typeof child !== 'string') open.push(child);
  }
  return false;
}

function spanOf({ attributes }: PageElement): number {
  const span = Number(attributes['colspan'] ?? 1);
  return Number.isInteger(span) && span > 1 ? Math.min(span, maxColumns + 1) : 1;
}

function escaped(text: string): string {
  return text.trim().replaceAll('|', '\\|');
}

function lineOf(cells: readonly string[]): string {
  return `| ${cells.join(' | ')} |`;
}
