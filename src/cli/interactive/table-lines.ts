/** A Markdown table for the width of a terminal: columns where no word has to be broken, one card a row where they do not fit. */
import { visibleWidth, wrapTextWithAnsi } from '@earendil-works/pi-tui';
import type { Colors } from '../render/colors.ts';

export type Align = 'left' | 'right' | 'center';

/** A cell as it is shown, and what it needs; colours in it count nothing. */
export interface Cell {
  readonly text: string;
  readonly width: number;
  readonly longestWord: number;
}

export interface Table {
  readonly header: readonly Cell[];
  readonly align: readonly Align[];
  readonly rows: readonly (readonly Cell[])[];
}

/** Rows that were laid out before: while a table grows, most of them stay as they are. */
export interface KnownRows {
  widths: string;
  readonly lines: Map<readonly Cell[], string[]>;
}

const gap = ' │ ';
const none: Cell = { text: '', width: 0, longestWord: 0 };

export function cellOf(text: string): Cell {
  return { text, width: visibleWidth(text), longestWord: Math.max(0, ...text.split(/\s+/).map(visibleWidth)) };
}

export function tableLines(table: Table, width: number, colors: Colors, known?: KnownRows): string[] {
  const widths = columnWidths(table, width - (table.header.length - 1) * visibleWidth(gap));
  if (widths === undefined) return cardLines(table, width, colors);
  const rule = colors.dim(widths.map((column) => '─'.repeat(column)).join('─┼─'));
  const key = widths.join(' ');
  if (known !== undefined && known.widths !== key) {
    known.widths = key;
    known.lines.clear();
  }
  const body = table.rows.flatMap((row) => {
    const before = known?.lines.get(row);
    if (before !== undefined) return before;
    const lines = rowLines(row, table.align, widths, colors);
    known?.lines.set(row, lines);
    return lines;
  });
  const header = table.header.map((cell) => ({ ...cell, text: colors.bold(cell.text) }));
  return [...rowLines(header, table.align, widths, colors), rule, ...body];
}

/** Undefined when a word would have to be broken. */
function columnWidths({ header, rows }: Table, room: number): number[] | undefined {
  const natural = header.map((cell) => Math.max(1, cell.width));
  const least = header.map((cell) => Math.max(1, cell.longestWord));
  for (const row of rows) {
    for (const at of header.keys()) {
      const { width, longestWord } = row[at] ?? none;
      if (width > (natural[at] ?? 0)) natural[at] = width;
      if (longestWord > (least[at] ?? 0)) least[at] = longestWord;
    }
  }
  const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);
  if (sum(natural) <= room) return natural;
  if (sum(least) > room) return undefined;
  // What is left over the longest words goes to the columns that want the most.
  const wanted = natural.map((value, at) => value - (least[at] ?? 0));
  const spare = room - sum(least);
  return least.map((value, at) => value + Math.floor(((wanted[at] ?? 0) / sum(wanted)) * spare));
}

function rowLines(row: readonly Cell[], align: readonly Align[], widths: readonly number[], colors: Colors): string[] {
  const cells = widths.map((width, at) => {
    const cell = row[at] ?? none;
    if (cell.width <= width) return [padded(cell.text, cell.width, width, align[at])];
    return wrapTextWithAnsi(cell.text, width).map((line) => {
      const text = line.trimEnd();
      return padded(text, visibleWidth(text), width, align[at]);
    });
  });
  const height = Math.max(...cells.map((lines) => lines.length));
  return Array.from({ length: height }, (_, line) =>
    widths
      .map((width, at) => cells[at]?.[line] ?? ' '.repeat(width))
      .join(colors.dim(gap))
      .trimEnd(),
  );
}

function padded(text: string, own: number, width: number, align: Align = 'left'): string {
  const room = Math.max(0, width - own);
  const left = align === 'right' ? room : align === 'center' ? Math.floor(room / 2) : 0;
  return `${' '.repeat(left)}${text}${' '.repeat(room - left)}`;
}

/** `Name: value`, one line or more a cell, an empty line between rows. */
function cardLines({ header, rows }: Table, width: number, colors: Colors): string[] {
  return rows.flatMap((row, at) => [
    ...(at === 0 ? [] : ['']),
    ...header.flatMap((name, column) =>
      wrapTextWithAnsi(`${colors.bold(`${name.text}:`)} ${row[column]?.text ?? ''}`, width),
    ),
  ]);
}
