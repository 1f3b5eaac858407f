/** Cuts a growing Markdown text where nothing before can change any more, so that only the tail is parsed again. */

/** Shorter tails are cheap to parse and better left whole. */
const minStableChars = 1500;
/** A block of code is cut into parts of at least this size, between two of its lines. */
const minCodeChars = 4000;

/** A code block that is open: its opening line, which is all that is needed to go on with it. */
export interface OpenFence {
  readonly mark: string;
  readonly line: string;
}

export interface StablePart {
  /** 0 when there is nothing worth cutting off. */
  readonly length: number;
  /** The code block that the cut goes through. */
  readonly fence: OpenFence | undefined;
  /** The cut is between two items of a list: no empty line belongs there. */
  readonly betweenItems?: boolean;
}

const fenceLine = /^( {0,3})(`{3,}|~{3,})/;
/** An item of a list, or what may become one when more of it has arrived. */
const listItem = /^ {0,3}(?:[-*+]|\d{1,9}[.)]?)(?:\s|$)/;
/** An item that shows the same at the beginning of a list. All items of a list may be numbered 1, so that one is left out. */
const nextItem = /^(?:[-*+]|(?!1[.)])\d{1,9}[.)]) \S/;

/**
 * The finished part of a text: up to the last blank line that ends a block, or up to the last whole line of a long code
 * block. `inside` is the code block that the text begins in.
 */
export function stablePart(text: string, inside?: OpenFence): StablePart {
  if (text.length < minStableChars) return { length: 0, fence: inside };
  let fence = inside;
  let fenceStart = 0;
  let indented = false;
  let inList = false;
  let listStart = 0;
  let afterBlank = true;
  let best: StablePart = { length: 0, fence: inside };
  let offset = 0;
  for (const line of text.split('\n')) {
    const blank = line.trim() === '';
    const [, indent = '', mark] = fenceLine.exec(line) ?? [];
    if (fence === undefined && mark !== undefined) {
      fence = { mark, line };
      fenceStart = offset;
      indented = indent !== '';
    } else if (fence === undefined) {
      if (listItem.test(line)) {
        if (!inList) listStart = offset;
        inList = true;
      } else if (afterBlank && /^\S/.test(line)) inList = false;
    } else if (mark?.startsWith(fence.mark) === true && line.trim() === mark) fence = undefined;
    // An empty line between items changes how all of them look.
    if (blank) listStart = offset + line.length + 1;
    afterBlank = blank;
    offset += line.length + 1;
    if (offset > text.length) break;
    const next = text.slice(offset, offset + 12);
    // What is indented may belong to a list and would lose its place.
    const insideCode = fence !== undefined && !indented && offset - fenceStart >= minCodeChars && next !== '';
    const betweenBlocks = fence === undefined && blank && endsBlock(next, inList);
    const isLongList = inList && offset - listStart >= minStableChars;
    const betweenItems = fence === undefined && isLongList && !blank && nextItem.test(next);
    if (insideCode || betweenBlocks) best = { length: offset, fence };
    else if (betweenItems) best = { length: offset, fence, betweenItems };
  }
  return best.length >= minStableChars ? best : { length: 0, fence: inside };
}

/** The whole lines of a text that is no Markdown, once there are many. */
export function wholeLines(text: string): StablePart {
  return { length: text.length < minStableChars ? 0 : text.lastIndexOf('\n') + 1, fence: undefined };
}

/** A blank line ends nothing when an indented line goes on below it, or another item of the same list. */
function endsBlock(next: string, inList: boolean): boolean {
  return /^\S/.test(next) && !(inList && listItem.test(next));
}
