/** Turns the HTML of a page into Markdown a model can read: what a visitor sees, and nothing that was hidden from them. */
import { Readability } from '@mozilla/readability';
import { parseHTML } from 'linkedom';
import { createHiddenTest } from './hidden-elements.ts';
import { createTurndown } from './markdown-rules.ts';

export interface PageText {
  /** One line; empty when the page has none. */
  readonly title: string;
  readonly markdown: string;
}

/**
 * `html` may be broken in any way. `onPlainText` gets the page without its structure as soon as that is known: for
 * pages built so that the rest takes longer than anybody waits.
 */
export function htmlToMarkdown(html: string, url: string, onPlainText?: (text: PageText) => void): PageText {
  const document: PageDocument = parseHTML(withOneBody(html)).document;
  const title = document.querySelector('title')?.textContent ?? '';
  const base = URL.parse(document.querySelector('base[href]')?.getAttribute('href') ?? '', url)?.href ?? url;
  const sheets = [...document.querySelectorAll('style')].map((sheet) => sheet.textContent ?? '');
  const depth = dropHidden(document.body, createHiddenTest(sheets));
  const plain = { title: oneLine(title), markdown: plainText(document.body) };
  onPlainText?.(plain);
  if (depth > maxNested) return plain;
  document.title = title;
  // Judged by now; taken apart again they would cost the most time of all.
  for (const element of document.querySelectorAll('[style]')) element.removeAttribute('style');
  makeLinksAbsolute(document, base);
  const whole = document.body.innerHTML;
  const article = new Readability(document, { keepClasses: true }).parse();
  const found = article?.textContent?.trim().length ?? 0;
  const isArticle = found > 0 && found >= Math.min(shortArticle, plain.markdown.length / 2);
  const markdown = createTurndown().turndown((isArticle ? article?.content : undefined) ?? whole);
  const source = isArticle ? (article?.textContent ?? '') : plain.markdown;
  // Tables in preformatted text and the like are lost on the way; words count more than their form.
  if (letters(markdown) < letters(source) * keptShare) return plain;
  return { title: oneLine(article?.title ?? title) || plain.title, markdown };
}

const keptShare = 0.9;

function letters(text: string): number {
  return text.replace(/[^\p{L}\p{N}]+/gu, '').length;
}

/** Elements inside each other; the libraries need time with the third power of it. */
const maxNested = 150;
/** Characters; less than this is taken for the whole page only when it is most of it. */
const shortArticle = 400;
const maxTitleChars = 300;

/** What is used of the parsed document. */
interface PageNode {
  readonly nodeType: number;
  readonly childNodes: Iterable<PageNode>;
  readonly textContent: string | null;
  remove(): void;
}

interface PageElement extends PageNode {
  readonly localName: string;
  readonly innerHTML: string;
  getAttribute(name: string): string | null;
  setAttribute(name: string, value: string): void;
  removeAttribute(name: string): void;
}

interface PageDocument {
  readonly body: PageElement;
  title: string;
  querySelector(selector: string): PageElement | null;
  querySelectorAll(selector: string): Iterable<PageElement>;
}

/** The parser wants exactly one head and body; pages have none, several, or text behind them. */
function withOneBody(html: string): string {
  const content = html.replace(/<(?:!doctype|\/?(?:html|head|body|frameset))(?=[\s>/])[^>]{0,5000}>/gi, '\n');
  return `<!doctype html><html><head></head><body>${content}</body></html>`;
}

/** Takes out comments, code, and what no visitor sees. Returns how deep the elements that stay are nested. */
function dropHidden(root: PageElement, isHidden: (element: PageElement) => boolean): number {
  const dropped: PageNode[] = [];
  let deepest = 0;
  const open: { node: PageNode; depth: number }[] = [{ node: root, depth: 0 }];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    deepest = Math.max(deepest, next.depth);
    for (const node of next.node.childNodes) {
      if (node.nodeType === textNode) continue;
      if (!isElement(node) || isHidden(node)) dropped.push(node);
      else open.push({ node, depth: next.depth + 1 });
    }
  }
  for (const node of dropped) node.remove();
  return deepest;
}

const elementNode = 1;
const textNode = 3;

function isElement(node: PageNode): node is PageElement {
  return node.nodeType === elementNode;
}

/** Text line by line, without recursion: pages can be nested deeper than the stack. */
function plainText(root: PageElement): string {
  const parts: string[] = [];
  const open: (PageNode | string)[] = [root];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (typeof next === 'string') parts.push(next);
    else if (isElement(next)) {
      const edge = inline.has(next.localName) ? '' : '\n';
      open.push(edge);
      // One by one: arguments are on the stack, and a page may have more children than that holds.
      for (const child of [...next.childNodes].reverse()) open.push(child);
      open.push(edge);
    } else parts.push((next.textContent ?? '').replace(/\s+/g, ' '));
  }
  return parts
    .join('')
    .replace(/ *\n[ \n]*/g, '\n')
    .trim();
}

const inline = new Set(
  'a abbr b bdi bdo cite code em font i kbd label mark q s small span strong sub sup u'.split(' '),
);

function makeLinksAbsolute(document: PageDocument, base: string): void {
  for (const element of document.querySelectorAll('a[href], img[src]')) {
    const name = element.localName === 'a' ? 'href' : 'src';
    const value = element.getAttribute(name) ?? '';
    const target = URL.parse(value, base);
    if (target !== null && linkProtocols.has(target.protocol)) element.setAttribute(name, target.href);
    else if (name === 'src' && value.startsWith('data:')) element.setAttribute('src', 'data:,');
    else element.removeAttribute(name);
  }
}

const linkProtocols = new Set(['http:', 'https:', 'mailto:']);

function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim().slice(0, maxTitleChars);
}
