/** Which part of a page is what it is about, and what of it is furniture: menus, footers, notices. */
import type { PageElement } from './page-tree.ts';

export interface Content {
  readonly root: PageElement;
  /** To be left out. */
  readonly without: ReadonlySet<PageElement>;
}

/** Characters; less than this is taken for the whole page only when it is most of it. */
const shortPage = 400;
/** Of the text that is no link: one article that has less is one of several things on the page. */
const leastShare = 1 / 3;
/** A part with more text than this is more than a notice, whatever it is called. */
const largeNotice = 600;

/** The elements of a page: `rest` has all but the first, each behind the one that holds it. */
export interface Shown {
  readonly root: PageElement;
  readonly rest: readonly PageElement[];
}

/** What is left out never leaves less than a short page, or half of the text. */
export function findContent({ root, rest }: Shown): Content {
  for (let at = rest.length - 1; at >= 0; at -= 1) {
    const element = rest[at];
    if (element !== undefined) measure(element);
  }
  measure(root);
  const main = chooseRoot(root, rest);
  const without = furnitureIn(main, main === root);
  const left = without.reduce((size, { text }) => size - text, main.text);
  return { root: main, without: new Set(left >= Math.min(shortPage, main.text / 2) ? without : []) };
}

/** What is inside was measured before. */
function measure(element: PageElement): void {
  for (const child of element.children) {
    if (typeof child === 'string') element.text += child.trim().length;
    else {
      element.text += child.text;
      element.linked += child.linked;
    }
  }
  if (element.name === 'a' && element.attributes['href'] !== undefined) element.linked = element.text;
}

function chooseRoot(root: PageElement, rest: readonly PageElement[]): PageElement {
  const enough = Math.min(shortPage, root.text / 2);
  const mains: PageElement[] = [];
  const articles: PageElement[] = [];
  for (const element of rest) {
    const { name, attributes } = element;
    if (name === 'main' || attributes['role'] === 'main') mains.push(element);
    else if (name === 'article' || attributes['itemprop'] === 'articleBody') articles.push(element);
  }
  const main = largest(mains);
  if (main !== undefined && main.text > 0 && main.text >= enough) return main;
  const article = largest(articles);
  if (article === undefined || article.text === 0 || article.text < enough) return root;
  const isMost = article.text >= (root.text - root.linked) * leastShare;
  const others = articles.filter((other) => other !== article && other.text >= shortPage).length;
  return isMost && others < 2 ? article : root;
}

function largest(elements: readonly PageElement[]): PageElement | undefined {
  return elements.toSorted((left, right) => right.text - left.text)[0];
}

/** The outermost ones. */
function furnitureIn(root: PageElement, isWholePage: boolean): readonly PageElement[] {
  const found: PageElement[] = [];
  const open: PageElement[] = [root];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    for (const child of next.children) {
      if (typeof child === 'string') continue;
      if (isFurniture(child, isWholePage)) found.push(child);
      else open.push(child);
    }
  }
  return found;
}

const furnitureRoles: ReadonlySet<string> = new Set(['navigation', 'contentinfo', 'search', 'dialog', 'alertdialog']);
/** Furniture when most of it is links. */
const menuNames =
  /(?:^|[\s_-])(?:nav|navbar|navigation|menu|breadcrumbs?|footer|sidebar|toc|related|tags)(?:$|[\s_-])/i;
/** Furniture when it is short. */
const noticeNames =
  /(?:^|[\s_-])(?:cookies?|consent|gdpr|share|social|newsletter|advert(?:isement)?s?|ads|promo|popup|modal|skip-?link)(?:$|[\s_-])/i;

function isFurniture({ name, attributes, text, linked }: PageElement, isWholePage: boolean): boolean {
  if (name === 'nav' || name === 'footer' || furnitureRoles.has(attributes['role'] ?? '')) return true;
  // What stands beside a page is furniture, what stands beside a paragraph a remark.
  if (isWholePage && (name === 'aside' || attributes['role'] === 'banner')) return true;
  const { class: classes = '', id = '' } = attributes;
  if (classes === '' && id === '') return false;
  const isCalled = (names: RegExp): boolean => names.test(classes) || names.test(id);
  return (linked > text / 2 && isCalled(menuNames)) || (text < largeNotice && isCalled(noticeNames));
}
