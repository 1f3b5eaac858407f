/** Cuts a growing Markdown text where nothing before can change any more, so that only the tail is parsed again. */

/** Shorter tails are cheap to parse and better left whole. */
const minStableChars = 1500;
const fenceMark = /^ {0,3}(`{3,}|~{3,})/;
/** An item of a list, or what may become one when more of it has arrived. */
const listItem = /^ {0,3}(?:[-*+]|\d{1,9}[.)]?)(?:\s|$)/;

/** Length of the finished part: up to the last blank line that ends a block; 0 when it is too short. */
export function stableLength(text: string): number {
  if (text.length < minStableChars) return 0;
  let fence: string | undefined;
  let inList = false;
  let afterBlank = true;
  let stable = 0;
  let offset = 0;
  for (const line of text.split('\n')) {
    const blank = line.trim() === '';
    const mark = fenceMark.exec(line)?.[1];
    if (fence === undefined) {
      fence = mark;
      if (listItem.test(line)) inList = true;
      else if (afterBlank && /^\S/.test(line)) inList = false;
    } else if (mark?.startsWith(fence) === true && line.trim() === mark) fence = undefined;
    afterBlank = blank;
    offset += line.length + 1;
    if (blank && fence === undefined && endsBlock(text.slice(offset, offset + 12), inList)) stable = offset;
  }
  return stable >= minStableChars ? stable : 0;
}

/** A blank line ends nothing when an indented line goes on below it, or another item of the same list. */
function endsBlock(next: string, inList: boolean): boolean {
  return /^\S/.test(next) && !(inList && listItem.test(next));
}
