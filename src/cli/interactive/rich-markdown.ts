/** Markdown on the screen: as the library draws it, but for code, tables and small headings. */
import { type Component, Markdown, Marked, type Token, type Tokens, wrapTextWithAnsi } from '@earendil-works/pi-tui';
import type { Colors } from '../render/colors.ts';
import type { Highlighter } from '../render/highlight.ts';
import { fittedLine } from './fitted.ts';
import { type Cell, cellOf, type KnownRows, tableLines } from './table-lines.ts';
import { markdownTheme } from './theme.ts';

export interface RichMarkdownOptions {
  readonly colors: Colors;
  readonly highlighter: Highlighter;
  /** The text goes on with a code block: its language was said before. */
  readonly continued: boolean;
}

/** Columns left and right of everything. */
const margin = 1;
/** Without these the library alone draws a text. */
const special = /`{3}|~{3}|\||^ {0,3}#{3,} /m;
/** Code is set in by so much, and its lines go on below their own indentation. */
const codeIndent = '  ';

type Content =
  | { readonly kind: 'text'; readonly view: Markdown }
  | { readonly kind: 'code'; readonly token: Tokens.Code }
  | { readonly kind: 'table'; readonly token: Tokens.Table };

interface Block {
  /** The text it was made from: while an answer grows, only its last block becomes another one. */
  readonly raw: string;
  readonly content: Content;
  drawn?: { readonly width: number; readonly lines: string[] };
}

export class RichMarkdown implements Component {
  readonly #options: RichMarkdownOptions;
  readonly #parser = new Marked();
  #text: string;
  #blocks: readonly Block[] | undefined;
  #before: readonly Block[] = [];
  readonly #rows = new Map<string, readonly Cell[]>();
  readonly #knownRows: KnownRows = { widths: '', lines: new Map() };
  #drawn: { readonly width: number; readonly lines: string[] } | undefined;

  constructor(text: string, options: RichMarkdownOptions) {
    this.#text = text;
    this.#options = options;
  }

  setText(text: string): void {
    if (text === this.#text) return;
    this.#text = text;
    this.#before = this.#blocks ?? [];
    this.#blocks = undefined;
    this.#drawn = undefined;
  }

  invalidate(): void {
    this.#drawn = undefined;
    this.#rows.clear();
    this.#knownRows.lines.clear();
    for (const block of this.#blocks ?? []) delete block.drawn;
  }

  render(width: number): string[] {
    if (this.#drawn?.width === width) return this.#drawn.lines;
    this.#blocks ??= this.#split();
    const lines = this.#blocks.flatMap((block, at) => {
      if (block.drawn?.width !== width) {
        const shown = this.#blockLines(block.content, at === 0, width).map((line) => fittedLine(line, width).trimEnd());
        block.drawn = { width, lines: at === 0 ? shown : ['', ...shown] };
      }
      return block.drawn.lines;
    });
    this.#drawn = { width, lines };
    return lines;
  }

  #split(): Block[] {
    if (!special.test(this.#text)) return [this.#block(0, this.#text, () => this.#textView(this.#text))];
    const blocks: Block[] = [];
    let raw = '';
    const flush = (): void => {
      const text = raw.trim();
      if (text !== '') blocks.push(this.#block(blocks.length, text, () => this.#textView(text)));
      raw = '';
    };
    for (const token of this.#parser.lexer(this.#text)) {
      if (isCode(token) || isTable(token)) {
        flush();
        const content = isCode(token) ? ({ kind: 'code', token } as const) : ({ kind: 'table', token } as const);
        blocks.push(this.#block(blocks.length, token.raw, () => content));
      } else raw += isSmallHeading(token) ? `## ${token.text}\n\n` : token.raw;
    }
    flush();
    return blocks;
  }

  #block(at: number, raw: string, make: () => Content): Block {
    const before = this.#before[at];
    return before?.raw === raw ? before : { raw, content: make() };
  }

  #textView(text: string): Content {
    return { kind: 'text', view: new Markdown(text, margin, 0, markdownTheme(this.#options.colors)) };
  }

  #blockLines(block: Content, isFirst: boolean, width: number): string[] {
    const room = Math.max(1, width - 2 * margin);
    const { colors } = this.#options;
    switch (block.kind) {
      case 'text':
        return block.view.render(width);
      case 'code':
        return this.#codeLines(block.token, isFirst && this.#options.continued, room);
      case 'table': {
        const { header, align, rows } = block.token;
        const table = {
          header: this.#row(header),
          align: align.map((side) => side ?? 'left'),
          rows: rows.map((row) => this.#row(row)),
        };
        return tableLines(table, room, colors, this.#knownRows).map((line) => ` ${line}`);
      }
    }
  }

  /** The same cells are the same row, so that it is laid out once. */
  #row(tokens: readonly Tokens.TableCell[]): readonly Cell[] {
    const key = tokens.map(({ text }) => text).join('\u0000');
    let row = this.#rows.get(key);
    if (row === undefined) {
      row = tokens.map(({ text }) => cellOf(inlineText(text, this.#options.colors)));
      this.#rows.set(key, row);
    }
    return row;
  }

  #codeLines({ text, lang = '' }: Tokens.Code, continued: boolean, room: number): string[] {
    const { colors, highlighter } = this.#options;
    const language = lang.split(/\s/)[0] ?? '';
    const code = text.replaceAll('\t', '    ');
    const lines = highlighter.lines(code, language) ?? code.split('\n').map((line) => colors.green(line));
    const label = continued || language === '' ? [] : [colors.dim(`${codeIndent}${language}`)];
    return [...label, ...lines.flatMap((line) => wrappedCode(line, Math.max(1, room - codeIndent.length)))].map(
      (line) => ` ${line}`,
    );
  }
}

/** A long line of code goes on below its own indentation. */
function wrappedCode(line: string, room: number): string[] {
  const [, colour = '', spaces = '', rest = ''] = /^((?:\u001b\[[\d;]*m)?)( *)([\s\S]*)$/.exec(line) ?? [];
  const indent = spaces.slice(0, Math.floor(room / 2));
  return wrapTextWithAnsi(`${colour}${rest}`, Math.max(1, room - indent.length)).map(
    (part) => `${codeIndent}${indent}${part}`,
  );
}

/** Without these a cell stands for itself. */
const inlineMarks = /[*_`~[\]<>\\!&$]|:\/\/|www\.|@/;

function inlineText(text: string, colors: Colors): string {
  if (!inlineMarks.test(text)) return text.trim();
  const lines = new Markdown(text, 0, 0, markdownTheme(colors)).render(1000);
  return lines.map((line) => line.trimEnd()).join(' ');
}

const isCode = (token: Token): token is Tokens.Code => token.type === 'code';
const isTable = (token: Token): token is Tokens.Table => token.type === 'table';
const isSmallHeading = (token: Token): token is Tokens.Heading =>
  token.type === 'heading' && typeof token['depth'] === 'number' && token['depth'] >= 3;
