/** A long page for a model: its beginning and its end, and where the whole of it is. */

/** What of the limit the beginning gets. */
const headShare = 0.75;
const rule = '─'.repeat(40);
const omitted = '[... middle omitted — see footer ...]';

/** Three quarters of `limit` characters from the beginning and a quarter from the end, cut between lines where there are some. */
function pageEnds(text: string, limit: number): { readonly head: string; readonly tail: string } {
  const headChars = Math.floor(limit * headShare);
  const head = text.slice(0, headChars);
  const tail = text.slice(text.length - (limit - headChars));
  const lineEnd = head.lastIndexOf('\n');
  const lineStart = tail.indexOf('\n');
  return {
    // A line that is most of the part is cut itself, and not between the halves of a character.
    head: (lineEnd > headChars / 2 ? head.slice(0, lineEnd) : head).replace(/[\uD800-\uDBFF]$/, ''),
    tail: (lineStart >= 0 && lineStart < tail.length / 2 ? tail.slice(lineStart + 1) : tail).replace(
      /^[\uDC00-\uDFFF]/,
      '',
    ),
  };
}

/** `path`: where the whole text is; absent when it could not be kept. */
export function shortenedPage(text: string, limit: number, path?: string): string {
  const { head, tail } = pageEnds(text, limit);
  const first = lines(head) + 1;
  const left = Math.max(1, lines(text) - lines(head) - lines(tail));
  const shown = head.length + tail.length;
  const where =
    path === undefined
      ? ['The full text could not be saved; ask again with a larger char_limit.']
      : [
          `Full text saved to: ${path}`,
          `For the middle: read_file(path=${JSON.stringify(path)}, offset=${first}, limit=${Math.min(left, 500)})`,
        ];
  const facts = `[TRUNCATED] ${shown} of ${text.length} characters shown; ${text.length - shown} left out.`;
  return [head, omitted, tail, rule, facts, ...where, rule].join('\n\n').replaceAll(`${rule}\n\n`, `${rule}\n`);
}

function lines(text: string): number {
  return text.split('\n').length;
}
