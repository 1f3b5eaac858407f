/** Which elements of a page no visitor sees: by kind, by attribute, by their own style and by the page's style sheets. */

/** What is asked of an element. */
interface Styled {
  /** In small letters. */
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
}

/**
 * A judge for one page. `sheets` are its inline style sheets; of those only rules for one plain class or id count, and
 * not for elements that another rule shows again: what a script or a click reveals stays in the text where that is
 * likely.
 */
export function createHiddenTest(sheets: readonly string[]): (element: Styled) => boolean {
  const { hidden, shown } = namesInSheets(sheets.join('\n').slice(0, maxSheetChars));
  const classesSay = classRules(hidden, shown);
  return ({ name, attributes }) => {
    if (neverShown.has(name)) return true;
    if (attributes['hidden'] !== undefined) return true;
    if (attributes['aria-hidden']?.trim().toLowerCase() === 'true') return true;
    const written = attributes['style'];
    if (written !== undefined) {
      const style = withoutComments(written);
      if (hidingStyle.test(style) || fadingStyle.test(style)) return true;
    }
    if (hidden.size === 0) return false;
    const { class: classes, id } = attributes;
    const byClass = classes === undefined ? sayNothing : classesSay(classes);
    if (id === undefined) return byClass.hide && !byClass.show;
    return (byClass.hide || hidden.has(`#${id}`)) && !byClass.show && !shown.has(`#${id}`);
  };
}

interface Said {
  readonly hide: boolean;
  readonly show: boolean;
}

const sayNothing: Said = { hide: false, show: false };
/** A page has few lists of classes, and thousands of elements. */
const maxLists = 5000;

/** What the rules say of a list of classes. */
function classRules(hidden: ReadonlySet<string>, shown: ReadonlySet<string>): (classes: string) => Said {
  const known = new Map<string, Said>();
  return (classes) => {
    const before = known.get(classes);
    if (before !== undefined) return before;
    const names = classes.split(/\s+/).map((name) => `.${name}`);
    const said = { hide: names.some((name) => hidden.has(name)), show: names.some((name) => shown.has(name)) };
    if (known.size < maxLists) known.set(classes, said);
    return said;
  };
}

const maxSheetChars = 500_000;

const neverShown = new Set(
  'script style noscript template iframe frame object embed applet svg math canvas audio video datalist select input textarea dialog link base title'.split(
    ' ',
  ),
);

const hidingStyle =
  /(?:^|[;\s])(?:display\s*:\s*none|visibility\s*:\s*(?:hidden|collapse)|content-visibility\s*:\s*hidden)/i;

/** In a sheet these begin an animation more often than they hide; on an element they hide. */
const fadingStyle =
  /(?:^|[;\s])(?:opacity\s*:\s*0*(?:\.0+|0)%?\s*(?:!|;|$)|font-size\s*:\s*0*(?:\.0+|0)(?:px|em|rem|pt|%)?\s*(?:!|;|$)|(?:left|top|text-indent)\s*:\s*-\d{4,})/i;

const showingStyle = /(?:^|[;\s])(?:display|visibility)\s*:/i;

/** Names are written as in a selector: `.class` and `#id`. */
function namesInSheets(css: string): { hidden: ReadonlySet<string>; shown: ReadonlySet<string> } {
  const hidden = new Set<string>();
  const shown = new Set<string>();
  let depth = 0;
  for (const part of withoutComments(css).split('}')) {
    const pieces = part.split('{');
    const opened = pieces.length - 1;
    // A rule inside `@media` and the like may not be in force, so it hides nothing, but may show.
    const isPlain = depth === 0 && opened === 1;
    depth = Math.max(0, depth + opened - 1);
    const style = pieces.at(-1) ?? '';
    const selectors = (pieces.at(-2) ?? '').split(';').at(-1)?.split(',') ?? [];
    const hides = hidingStyle.test(style);
    for (const selector of selectors.map((text) => text.trim())) {
      if (hides && isPlain && plainSelector.test(selector)) hidden.add(selector);
      else if (!hides && showingStyle.test(style)) {
        // Of `.pane.active` it is the last name that makes the difference.
        const name = selector.match(namesInSelector)?.at(-1);
        if (name !== undefined) shown.add(name);
      }
    }
  }
  return { hidden, shown };
}

const plainSelector = /^[.#][\w-]+$/;
const namesInSelector = /[.#][\w-]+/g;

function withoutComments(css: string): string {
  return css
    .split('/*')
    .map((part, at) => (at === 0 ? part : part.slice(part.indexOf('*/') < 0 ? part.length : part.indexOf('*/') + 2)))
    .join('');
}
