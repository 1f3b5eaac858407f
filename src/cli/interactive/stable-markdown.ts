/** Cuts a growing Markdown text where nothing before can change any more, so that only the tail is parsed again. */

/** Shorter tails are cheap to parse and better left whole. */
const minStableChars = 1500;

/** Length of the finished part: up to the last blank line that is outside a code fence; 0 when it is too short. */
export function stableLength(text: string): number {
  if (text.length < minStableChars) return 0;
  let fence: string | undefined;
  let stable = 0;
  let offset = 0;
  for (const line of text.split('\n')) {
    const mark = /^ {0,3}(`{3,}|~{3,})/.exec(line)?.[1];
    if (mark !== undefined) {
      if (fence === undefined) fence = mark;
      else if (mark.startsWith(fence) && line.trim() === mark) fence = undefined;
    }
    offset += line.length + 1;
    // A line that begins with white space continues a list item or a code block across the blank line.
    if (
      fence === undefined &&
      line.trim() === '' &&
      !/^\s/.test(text.slice(offset, offset + 1)) &&
      offset < text.length
    ) {
      stable = offset;
    }
  }
  return stable >= minStableChars ? stable : 0;
}
