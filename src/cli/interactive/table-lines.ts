/** A Markdown table for the width of a terminal: columns where no word has to be broken, one card a row where they do not fit. */
import { visibleWidth, wrapTextWithAnsi } from '@earendil-works/pi-tui';
import type { Colors } from '../render/colors.ts';

export type Align = 'left' | 'right' | 'center';

export interface Table {
  /** Cells may hold colours. */
  readonly header: readonly string[];
  readonly align: readonly Align[];
  readonly rows: readonly (readonly string[])[];
}

const gap = ' │ ';

export function tableLines(table: Table, width: number, colors: Colors): string[] {
  const widths = columnWidths(table, width - (table.header.length - 1) * visibleWidth(gap));
  if (widths === undefined) return cardLines(table, width, colors);
  const rule = colors.dim(widths.map((column) => '─'.repeat(column)).join('─┼─'));
  const body = table.rows.flatMap((row) => rowLines(row, table.align, widths, colors));
  return [...rowLines(table.header.map(colors.bold), table.align, widths, colors), rule, ...body];
}

/** Undefined when a word would have to be broken. */
function columnWidths({ header, rows }: Table, room: number): number[] | undefined {
  const columns = header.map((name, at) => [name, ...rows.map((row) => row[at] ?? '')]);
  const natural = columns.map((cells) => Math.max(1, ...cells.map((cell) => visibleWidth(cell))));
  const least = columns.map((cells) => Math.max(1, ...cells.map(longestWord)));
  const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);
  if (sum(natural) <= room) return natural;
  if (sum(least) > room) return undefined;
  // What is left over the longest words goes to the columns that want the most.
  const wanted = natural.map((value, at) => value - (least[at] ?? 0));
  const spare = room - sum(least);
  return least.map((value, at) => value + Math.floor(((wanted[at] ?? 0) / sum(wanted)) * spare));
}

function longestWord(cell: string): number {
  return Math.max(0, ...cell.split(/\s+/).map((word) => visibleWidth(word)));
}

function rowLines(
  row: readonly string[],
  align: readonly Align[],
  widths: readonly number[],
  colors: Colors,
): string[] {
  const cells = widths.map((width, at) => wrapTextWithAnsi(row[at] ?? '', width));
  const height = Math.max(...cells.map((lines) => lines.length));
  return Array.from({ length: height }, (_, line) =>
    widths.map((width, at) => padded(cells[at]?.[line] ?? '', width, align[at] ?? 'left')).join(colors.dim(gap)),
  );
}

function padded(text: string, width: number, align: Align): string {
  const room = Math.max(0, width - visibleWidth(text.trimEnd()));
  const left = align === 'right' ? room : align === 'center' ? Math.floor(room / 2) : 0;
  return `${' '.repeat(left)}${text.trimEnd()}${' '.repeat(room - left)}`;
}

/** `Name: value`, one line or more a cell, an empty line between rows. */
function cardLines({ header, rows }: Table, width: number, colors: Colors): string[] {
  return rows.flatMap((row, at) => [
    ...(at === 0 ? [] : ['']),
    ...header.flatMap((name, column) => wrapTextWithAnsi(`${colors.bold(`${name}:`)} ${row[column] ?? ''}`, width)),
  ]);
}
