/** Reads the rows of one sheet, as far as they are shown. */
import { dateOf } from './cell-dates.ts';
import { readXml, type XmlReader } from './read-xml.ts';
import type { TextBuffer } from './text-buffer.ts';

export interface SheetOptions {
  readonly out: TextBuffer;
  /** What cells name by number instead of holding it. */
  readonly strings: readonly string[];
  readonly dateStyles: ReadonlySet<number>;
  readonly from1904: boolean;
}

const maxRows = 5000;
const maxColumns = 256;
/** More than any workbook of bearable size has. */
const maxStringChars = 100_000_000;

export class SheetReader implements XmlReader {
  readonly #options: SheetOptions;
  #row: string[] = [];
  #rowNumber = 0;
  #shownTo = 0;
  #cell = { column: 0, type: '', style: 0, value: '', formula: '' };
  #into: 'value' | 'formula' | undefined;
  #isPhonetic = false;
  #hasMoreRows = false;
  #hasMoreColumns = false;

  constructor(options: SheetOptions) {
    this.#options = options;
  }

  get isDone(): boolean {
    return this.#hasMoreRows || this.#options.out.isFull;
  }

  open(name: string, attributes: Readonly<Record<string, string>>): void {
    if (name === 'row') {
      this.#row = [];
      this.#rowNumber = Number(attributes['r'] ?? this.#rowNumber + 1);
    } else if (name === 'c') {
      const column = columnOf(attributes['r'] ?? '') ?? this.#cell.column + 1;
      const { t: type = '', s: style = '' } = attributes;
      this.#cell = { column, type, style: style === '' ? -1 : Number(style), value: '', formula: '' };
    } else if (name === 'v' || name === 't') this.#into = 'value';
    else if (name === 'f') this.#into = 'formula';
    else if (name === 'rPh') this.#isPhonetic = true;
  }

  text(text: string): void {
    if (this.#into !== undefined && !this.#isPhonetic) this.#cell[this.#into] += text;
  }

  close(name: string): void {
    if (name === 'v' || name === 't' || name === 'f') this.#into = undefined;
    else if (name === 'rPh') this.#isPhonetic = false;
    else if (name === 'c') this.#endCell();
    else if (name === 'row') this.#endRow();
  }

  /** Says what was left out. */
  end(): void {
    const { out } = this.#options;
    if (this.#hasMoreRows) out.add(`[The sheet goes on; its first ${maxRows} rows are shown.]`);
    if (this.#hasMoreColumns) out.add(`[Rows go on; their first ${maxColumns} columns are shown.]`);
  }

  #endCell(): void {
    const { column, value, formula } = this.#cell;
    const shown = value === '' && formula !== '' ? `=${formula}` : this.#shown();
    if (shown === '') return;
    if (column > maxColumns) this.#hasMoreColumns = true;
    else {
      while (this.#row.length < column - 1) this.#row.push('');
      this.#row[column - 1] = shown.replaceAll(/[\t\r\n]+/g, ' ');
    }
  }

  #shown(): string {
    const { type, style, value } = this.#cell;
    const { strings, dateStyles, from1904 } = this.#options;
    if (type === 's') return strings[Number(value)] ?? '';
    if (type === 'b') return value === '1' ? 'TRUE' : 'FALSE';
    const isNumber = type === '' || type === 'n';
    return (isNumber && value !== '' && dateStyles.has(style) ? dateOf(Number(value), from1904) : undefined) ?? value;
  }

  #endRow(): void {
    this.#cell = { ...this.#cell, column: 0 };
    if (this.#row.length === 0) return;
    if (this.#rowNumber > maxRows) {
      this.#hasMoreRows = true;
      return;
    }
    // Rows that are not there keep their place, so that numbers of lines and rows stay close; a large gap is told.
    const gap = this.#rowNumber - this.#shownTo - 1;
    const { out } = this.#options;
    if (gap > maxGap) out.add(`[rows ${this.#shownTo + 1} to ${this.#rowNumber - 1} are empty]`);
    else for (let n = 0; n < gap; n += 1) out.add('');
    out.add(this.#row.join('\t'));
    this.#shownTo = this.#rowNumber;
  }
}

const maxGap = 3;

/** `C7` stands in column 3. */
function columnOf(reference: string): number | undefined {
  const [letters] = /^[A-Z]{1,3}(?=\d)/i.exec(reference) ?? [];
  if (letters === undefined) return undefined;
  return Buffer.from(letters.toUpperCase()).reduce((sum, letter) => sum * 26 + letter - 64, 0);
}

/** The strings of a workbook by their number, each without its formats and reading aids. */
export async function readSharedStrings(chunks: AsyncIterable<Uint8Array>): Promise<readonly string[]> {
  const strings: string[] = [];
  let current = '';
  let isText = false;
  let isPhonetic = false;
  let left = maxStringChars;
  await readXml(chunks, {
    get isDone() {
      return left < 0;
    },
    open(name) {
      if (name === 'si') current = '';
      if (name === 't') isText = true;
      if (name === 'rPh') isPhonetic = true;
    },
    text(text) {
      if (!isText || isPhonetic) return;
      current += text;
      left -= text.length;
    },
    close(name) {
      if (name === 't') isText = false;
      if (name === 'rPh') isPhonetic = false;
      if (name === 'si') strings.push(current);
    },
  });
  return strings;
}
