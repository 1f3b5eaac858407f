/** Writes the elements of a page as Markdown. */
import { MarkdownWriter } from './markdown-writer.ts';
import { type PageElement, textOf } from './page-tree.ts';
import { tableOf } from './page-table.ts';

export interface WriteOptions {
  /** What links are relative to. */
  readonly base: string;
  readonly without: ReadonlySet<PageElement>;
}

/** Elements inside each other; what is deeper is written as plain text. */
const maxDepth = 200;
const maxPrefixes = 12;

export function writePage(root: PageElement, options: WriteOptions): string {
  const writer = new MarkdownWriter();
  new PageWriter(writer, options).children(root, 0);
  return writer.toString();
}

const blocks: ReadonlySet<string> = new Set(
  `address article aside blockquote center dd details dialog div dl dt fieldset figcaption figure footer form header hgroup
  legend li main menu nav ol optgroup p search section summary table tbody td tfoot th thead tr ul caption`.split(
    /\s+/,
  ),
);
const spaced: ReadonlySet<string> = new Set(
  'article aside blockquote details div dl figure form main ol p section table ul menu'.split(' '),
);
const marks: Readonly<Record<string, string>> = {
  strong: '**',
  b: '**',
  em: '*',
  i: '*',
  del: '~~',
  s: '~~',
  strike: '~~',
};
const lineBreaks: ReadonlySet<string> = new Set(['br', 'div', 'p', 'li', 'tr']);
const linkProtocols: ReadonlySet<string> = new Set(['http:', 'https:', 'mailto:']);

class PageWriter {
  readonly #writer: MarkdownWriter;
  readonly #options: WriteOptions;
  #prefixes = 0;
  #links = 0;

  constructor(writer: MarkdownWriter, options: WriteOptions) {
    this.#writer = writer;
    this.#options = options;
  }

  children({ children }: PageElement, depth: number): void {
    for (const child of children) {
      if (typeof child === 'string') this.#writer.text(child);
      else if (!this.#options.without.has(child)) this.#element(child, depth + 1);
    }
  }

  #element(element: PageElement, depth: number): void {
    const writer = this.#writer;
    const { name } = element;
    if (depth > maxDepth) return this.#plain(element);
    const mark = Object.hasOwn(marks, name) ? marks[name] : undefined;
    if (mark !== undefined) return this.#marked(mark, mark, element, depth);
    if (/^h[1-6]$/.test(name)) return this.#heading(Number(name[1]), element, depth);
    switch (name) {
      case 'br':
        return writer.gap(1);
      case 'hr':
        return writer.isInLine ? undefined : writer.lines(['---']);
      case 'img':
        return this.#picture(element);
      case 'a':
        return this.#link(element, depth);
      case 'pre':
        return writer.isInLine ? this.#plain(element) : this.#code(element);
      case 'code':
      case 'kbd':
      case 'samp':
      case 'tt':
        return this.#inlineCode(element);
      case 'blockquote':
        return this.#prefixed('> ', '> ', element, depth);
      case 'ul':
      case 'ol':
      case 'menu':
        return this.#list(element, depth);
      case 'li':
        // Outside of a list.
        return this.#item('- ', element, depth);
      case 'table':
        return this.#table(element, depth);
      default:
        return this.#block(element, depth);
    }
  }

  #block(element: PageElement, depth: number): void {
    const isBlock = blocks.has(element.name);
    const size = spaced.has(element.name) ? 2 : 1;
    if (isBlock) this.#writer.gap(size);
    this.children(element, depth);
    if (isBlock) this.#writer.gap(size);
  }

  #plain(element: PageElement): void {
    this.#writer.gap(1);
    this.#writer.text(textOf(element, lineBreaks));
  }

  #marked(begin: string, end: string, element: PageElement, depth: number): void {
    const place = this.#writer.mark(begin);
    // A mark must not reach over several lines.
    this.#writer.inLine(() => this.children(element, depth));
    this.#writer.unmark(place, end);
  }

  #heading(level: number, element: PageElement, depth: number): void {
    this.#writer.gap(2);
    const isInLine = this.#writer.isInLine;
    this.#marked(isInLine ? '' : `${'#'.repeat(level)} `, '', element, depth);
    this.#writer.gap(2);
  }

  #picture({ attributes }: PageElement): void {
    const alt = (attributes['alt'] ?? '').replace(/\s+/g, ' ').trim();
    const written = attributes['src'] ?? '';
    const source = written === '' || written.startsWith('data:') ? (attributes['data-src'] ?? written) : written;
    if (source.startsWith('data:')) return this.#writer.raw(`[IMAGE: ${alt}]`);
    const address = this.#address(source);
    if (address !== undefined) this.#writer.raw(`![${alt}](${address})`);
    else if (alt !== '') this.#writer.text(alt);
  }

  /** A link around nothing, to nowhere, or to code, says nothing: its text stays. */
  #link(element: PageElement, depth: number): void {
    const address = this.#links > 0 ? undefined : this.#address(element.attributes['href'] ?? '');
    if (address === undefined) return this.children(element, depth);
    this.#links += 1;
    this.#marked('[', `](${address})`, element, depth);
    this.#links -= 1;
  }

  #address(written: string): string | undefined {
    const url = written.trim() === '' ? null : URL.parse(written, this.#options.base);
    if (url === null || !linkProtocols.has(url.protocol)) return undefined;
    return url.href.replace(/[()]/g, (sign) => (sign === '(' ? '%28' : '%29'));
  }

  #code(element: PageElement): void {
    const text = textOf(element, lineBreaks)
      .replace(/\r\n?/g, '\n')
      .replace(/^\n+|\s+$/g, '');
    if (text === '') return;
    const longest = Math.max(2, ...Array.from(text.matchAll(/`{3,}/g), ([run]) => run.length));
    const fence = '`'.repeat(longest + 1);
    this.#writer.lines([fence + languageOf(element), ...text.split('\n'), fence]);
  }

  #inlineCode(element: PageElement): void {
    const text = textOf(element).replace(/\s+/g, ' ').trim();
    if (text === '') return;
    const fence = text.includes('`') ? '``' : '`';
    this.#writer.raw(fence === '`' ? `\`${text}\`` : `\`\` ${text} \`\``);
  }

  #prefixed(first: string, rest: string, element: PageElement, depth: number): void {
    const isDeep = this.#prefixes >= maxPrefixes || this.#writer.isInLine;
    this.#writer.gap(2);
    if (isDeep) this.children(element, depth);
    else {
      this.#prefixes += 1;
      this.#writer.within(first, rest, () => this.children(element, depth));
      this.#prefixes -= 1;
    }
    this.#writer.gap(2);
  }

  #list(element: PageElement, depth: number): void {
    const isNested = this.#prefixes > 0;
    this.#writer.gap(isNested ? 1 : 2);
    const start = Number(element.attributes['start'] ?? 1);
    let number = Number.isSafeInteger(start) && start >= 0 ? start : 1;
    for (const child of element.children) {
      if (typeof child === 'string') this.#writer.text(child);
      else if (this.#options.without.has(child)) continue;
      else if (child.name === 'li') this.#item(element.name === 'ol' ? `${number++}. ` : '- ', child, depth + 1);
      else this.#element(child, depth + 1);
    }
    this.#writer.gap(isNested ? 1 : 2);
  }

  #item(marker: string, element: PageElement, depth: number): void {
    this.#writer.gap(1);
    if (this.#prefixes >= maxPrefixes || this.#writer.isInLine || depth > maxDepth) this.children(element, depth);
    else {
      this.#prefixes += 1;
      this.#writer.within(marker, ' '.repeat(marker.length), () => this.children(element, depth));
      this.#prefixes -= 1;
    }
    this.#writer.gap(1);
  }

  #table(element: PageElement, depth: number): void {
    const table = this.#writer.isInLine ? undefined : tableOf(element, (cell) => this.#cell(cell, depth));
    if (table === undefined) this.#block(element, depth);
    else this.#writer.lines(table);
  }

  #cell(cell: PageElement, depth: number): string {
    const writer = new MarkdownWriter();
    writer.inLine(() => new PageWriter(writer, this.#options).children(cell, depth + 2));
    return writer.toString();
  }
}

/** As highlighters name it: `language-js`, `lang-js`, `highlight-source-js`. */
function languageOf(pre: PageElement): string {
  const [only] = pre.children.filter((child) => typeof child !== 'string');
  for (const { attributes } of [pre, ...(only === undefined ? [] : [only])]) {
    const named = /(?:^|\s)(?:language|lang|highlight-source|brush:\s?)-?([\w+#-]{1,30})/.exec(
      attributes['class'] ?? '',
    )?.[1];
    if (named !== undefined) return named;
  }
  return '';
}
