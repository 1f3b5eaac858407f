/** A page as a tree of elements and texts: as little of it as is needed to read it, in linear time. */
import { Parser } from 'htmlparser2';

export interface PageElement {
  /** In small letters. */
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly children: (PageElement | string)[];
  /** Characters of its text, and of the links in it, once that is measured. */
  text: number;
  linked: number;
}

export interface PageTree {
  readonly root: PageElement;
  /** Text of `<title>`. */
  readonly title: string;
  /** `<base href>` */
  readonly base: string | undefined;
  /** Texts of its style sheets. */
  readonly sheets: readonly string[];
}

/** Pages have none of these, several, or text behind them: what is inside counts. */
const transparent: ReadonlySet<string> = new Set(['html', 'head', 'body', 'frameset']);

/** What stands in them is read otherwise than the rest of a page. */
const raw: ReadonlySet<string> = new Set(
  'script style title textarea xmp iframe noembed noframes noscript plaintext'.split(' '),
);

/**
 * The parser looks through all elements that are open for each tag: pages with very many would take time that grows with
 * the square. Beyond so many the ends of those before count no longer, and what follows stays within them.
 */
const MOST_OPEN = 1000;

/** `html` may be broken in any way. */
export function parsePage(html: string): PageTree {
  const root: PageElement = { name: 'body', attributes: {}, children: [], text: 0, linked: 0 };
  const open: PageElement[] = [root];
  const sheets: string[] = [];
  let current = root;
  let title: string | undefined;
  let base: string | undefined;
  /** Reads to the end, or to where too many are open; returns what is left. */
  const read = (rest: string): string => {
    let held = 0;
    let isFull = false;
    const parser = new Parser({
      onopentag(name, attributes, isImplied) {
        held += 1;
        if (held > MOST_OPEN && !isImplied && !raw.has(name)) {
          isFull = true;
          parser.pause();
        }
        if (transparent.has(name)) return;
        const element: PageElement = { name, attributes, children: [], text: 0, linked: 0 };
        current.children.push(element);
        open.push(element);
        current = element;
        if (name === 'base') base ??= attributes['href'];
      },
      ontext(text) {
        const { children } = current;
        const last = children.length - 1;
        const before = children[last];
        // Each entity comes by itself.
        if (typeof before === 'string') children[last] = before + text;
        else children.push(text);
      },
      onclosetag(name) {
        held -= 1;
        if (transparent.has(name) || open.length === 1) return;
        if (name === 'style') sheets.push(textOf(current));
        else if (name === 'title') title ??= textOf(current);
        open.pop();
        current = open.at(-1) ?? root;
      },
    });
    parser.write(rest);
    if (isFull) return rest.slice(parser.endIndex + 1);
    parser.end();
    return '';
  };
  for (let rest = html; rest !== ''; ) rest = read(rest);
  return { root, title: title ?? '', base, sheets };
}

/** All text inside, as it stands there. Without recursion: pages can be nested deeper than the stack. */
export function textOf(element: PageElement, lineBreaks: ReadonlySet<string> = none): string {
  const parts: string[] = [];
  const open: (PageElement | string)[] = [element];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (typeof next === 'string') {
      parts.push(next);
      continue;
    }
    if (lineBreaks.has(next.name)) parts.push('\n');
    // One by one: arguments are on the stack, and an element may have more children than that holds.
    for (let at = next.children.length - 1; at >= 0; at -= 1) {
      const child = next.children[at];
      if (child !== undefined) open.push(child);
    }
  }
  return parts.join('');
}

const none: ReadonlySet<string> = new Set();
