/** Turns the HTML of a page into Markdown a model can read: what a visitor sees, and nothing that was hidden from them. */
import { createHiddenTest } from './hidden-elements.ts';
import { findContent, type Shown } from './main-content.ts';
import { type PageElement, parsePage } from './page-tree.ts';
import { writePage } from './write-page.ts';

export interface PageText {
  /** One line; empty when the page has none. */
  readonly title: string;
  readonly markdown: string;
}

const maxTitleChars = 300;

/** `html` may be broken in any way; the time that it takes grows with its length, however it is built. */
export function htmlToMarkdown(html: string, url: string): PageText {
  const { root, title, base, sheets } = parsePage(html);
  const shown = dropHidden(root, createHiddenTest(sheets));
  const { root: main, without } = findContent(shown);
  const markdown = writePage(main, { base: URL.parse(base ?? '', url)?.href ?? url, without });
  return { title: title.replace(/\s+/g, ' ').trim().slice(0, maxTitleChars), markdown: markdown.trim() };
}

/** Takes out code, and what no visitor sees. Returns the elements that stay, each behind the one that holds it. */
function dropHidden(root: PageElement, isHidden: (element: PageElement) => boolean): Shown {
  const rest: PageElement[] = [];
  let next: PageElement | undefined = root;
  // The list grows while it is walked.
  for (let at = 0; next !== undefined; next = rest[at++]) {
    const { children } = next;
    let kept = 0;
    for (const child of children) {
      if (typeof child !== 'string') {
        if (isHidden(child)) continue;
        rest.push(child);
      }
      if (kept < children.length) children[kept] = child;
      kept += 1;
    }
    if (kept < children.length) children.length = kept;
  }
  return { root, rest };
}
