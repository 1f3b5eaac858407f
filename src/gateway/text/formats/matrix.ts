/**
 * Matrix: the answer as it is, and HTML of it with nothing but what the specification lets through
 * (https://spec.matrix.org/latest/client-server-api/#mroommessage-msgtypes).
 */
import { Parser } from 'htmlparser2';
import { Marked, type MarkedExtension, type Tokens } from 'marked';
import { mapBlocks } from '../markdown/render.ts';

export interface MatrixText {
  readonly body: string;
  /** Absent when there is nothing to mark. */
  readonly formatted_body?: string;
}

export function toMatrix(markdown: string): MatrixText {
  const html = toMatrixHtml(markdown);
  return html === escapeHtml(markdown.trim()) ? { body: markdown } : { body: markdown, formatted_body: html };
}

export function toMatrixHtml(markdown: string): string {
  if (isTooMuch(markdown)) return escapeHtml(markdown.trim());
  const { parse } = hasTooManyMarks(markdown) ? withoutEmphasis : converter;
  const html = sanitize(parse(markdown, { async: false }))
    .replaceAll('<tbody><tr>', '<tbody>\n<tr>')
    .replaceAll('</tbody></table>', '</tbody>\n</table>')
    .trim();
  // A single paragraph needs no frame; clients would draw space around it.
  return html.split('<p>').length === 2 ? html.replace(/<p>(.*?)<\/p>/s, '$1') : html;
}

/** Marks of lists and quotes within each other; each takes a part of the stack, and all that stands in it is read again. */
const TOO_DEEP = /^(?:[ \t]*(?:>|(?:[-*+]|\d{1,9}[.)])[ \t])){40}/m;
/** For each of these signs the rest of its word is looked at, in case it is an address. */
const LOOKED_BEHIND = /[\\<![`*~_]/g;
const MAX_LOOKS = 8_000_000;

/** What nobody writes, and what would take seconds to read: it is shown as it is. */
function isTooMuch(markdown: string): boolean {
  if (TOO_DEEP.test(markdown)) return true;
  const prose = mapBlocks(
    markdown,
    (text) => text,
    () => '\n',
  );
  const looks = prose
    .split(/\s+/)
    .map((word) => (word.length < 1000 ? 0 : word.length * (word.match(LOOKED_BEHIND)?.length ?? 0)));
  return looks.reduce((sum, each) => sum + each, 0) > MAX_LOOKS;
}

/**
 * For each mark that may begin emphasis the rest of its paragraph is read for the one that ends it: with many thousands
 * that never end it takes seconds. Lists of the length of whole messages have fewer.
 */
const MAX_MARKS = 2000;

function hasTooManyMarks(markdown: string): boolean {
  return markdown.split(/\n[ \t]*\n/).some((block) => (block.match(/[*_]+/g)?.length ?? 0) > MAX_MARKS);
}

const options: MarkedExtension = {
  gfm: true,
  breaks: true,
  renderer: {
    br: () => '<br>\n',
    em({ raw, tokens }) {
      const words = this.parser.parseInline(tokens);
      // `***both***` is bold around italic on every other platform.
      const inner = raw.startsWith('***') ? /^<strong>(.*)<\/strong>$/s.exec(words)?.[1] : undefined;
      return inner === undefined ? `<em>${words}</em>` : `<strong><em>${inner}</em></strong>`;
    },
    // Clients find bare addresses themselves.
    link: ({ raw, text }) => (raw === text ? escapeHtml(raw) : false),
    checkbox: ({ checked }: Tokens.Checkbox) => (checked ? '[x] ' : '[ ] '),
  },
};
const converter = new Marked(options);
const withoutEmphasis = new Marked(options, { tokenizer: { emStrong: () => undefined } });

// CommonMark wants a space beside bold that begins or ends with a mark of punctuation; Chinese and Japanese have none.
const TIGHT_STRONG = /^\*\*(?=\S)((?:(?!\*\*)[^\n`])*\S)\*\*(?!\*)/;
const WIDE_PUNCTUATION = /^(?![\u0000-\u007F])\p{P}|(?![\u0000-\u007F])\p{P}$/u;

converter.use({
  extensions: [
    {
      name: 'strong',
      level: 'inline',
      start: (source) => source.indexOf('**'),
      tokenizer(source) {
        const [raw, text] = TIGHT_STRONG.exec(source) ?? [];
        if (raw === undefined || text === undefined || !WIDE_PUNCTUATION.test(text)) return undefined;
        return { type: 'strong', raw, text, tokens: this.lexer.inlineTokens(text) };
      },
    },
  ],
});

const ALLOWED_TAGS: ReadonlySet<string> = new Set(
  'del h1 h2 h3 h4 h5 h6 blockquote p a ul ol sup sub li b i u strong em s code hr br div table thead tbody tr th td caption pre span img details summary'.split(
    ' ',
  ),
);
/** What is inside them is no text for people. */
const DROPPED_WHOLE: ReadonlySet<string> = new Set(['script', 'style', 'title', 'textarea', 'iframe', 'noscript']);
const VOID_TAGS: ReadonlySet<string> = new Set(['br', 'hr', 'img']);

/** Writes the HTML anew from what a parser read, so that nothing gets through that was not looked at. */
function sanitize(html: string): string {
  const open: string[] = [];
  const closed = new Set(Array.from(html.matchAll(/<\/([a-z][^\s/>]*)/gi), ([, name = '']) => name.toLowerCase()));
  let out = '';
  let dropping = 0;
  const parser = new Parser({
    onopentag(name, attributes) {
      if (DROPPED_WHOLE.has(name)) dropping += 1;
      if (dropping > 0) return;
      const source = html.slice(parser.startIndex, parser.endIndex + 1);
      if (!closed.has(name) && isPlaceholder(name, source)) out += escapeHtml(source);
      if (!ALLOWED_TAGS.has(name)) return;
      const kept = keptAttributes(name, attributes);
      if (kept === undefined) return;
      out += `<${name}${kept}>`;
      if (!VOID_TAGS.has(name)) open.push(name);
    },
    ontext(text) {
      if (dropping === 0) out += escapeHtml(text);
    },
    onclosetag(name) {
      if (DROPPED_WHOLE.has(name)) dropping = Math.max(0, dropping - 1);
      else if (dropping === 0 && open.at(-1) === name) out += `</${open.pop() ?? ''}>`;
    },
  });
  parser.end(html);
  return out;
}

/** What stands for something else, such as `<name>`: no tag that means anything, without values; it is never closed. */
function isPlaceholder(name: string, source: string): boolean {
  return !ALLOWED_TAGS.has(name) && !DROPPED_WHOLE.has(name) && name !== 'wbr' && !source.includes('=');
}

/** The attributes to write; undefined for a tag that means nothing without the one it lacks. */
function keptAttributes(name: string, attributes: Readonly<Record<string, string>>): string | undefined {
  const write = (key: string, value: string | undefined): string =>
    value === undefined ? '' : ` ${key}="${escapeHtml(value)}"`;
  switch (name) {
    case 'a':
      return isWebAddress(attributes['href']) ? write('href', attributes['href']) : undefined;
    case 'img':
      // Pictures from elsewhere would tell their server who reads.
      if (!attributes['src']?.startsWith('mxc://')) return undefined;
      return write('src', attributes['src']) + write('alt', attributes['alt']);
    case 'code':
      return /^language-[\w+#.-]+$/.test(attributes['class'] ?? '') ? write('class', attributes['class']) : '';
    case 'ol':
      return /^\d{1,9}$/.test(attributes['start'] ?? '') ? write('start', attributes['start']) : '';
    default:
      return '';
  }
}

function isWebAddress(href: string | undefined): boolean {
  return href !== undefined && /^(?:https?|ftp|mailto|magnet):/i.test(href);
}

function escapeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}
