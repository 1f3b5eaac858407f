/** What of a Markdown text is read aloud: words, without the signs between them. */

/** As long as an answer that somebody listens to may be. */
const longest = 4000;

/** Empty when there is nothing to say. Code, addresses of the web and rules are left out, links are their words. */
export function spokenText(markdown: string): string {
  const words = markdown
    .replace(/^ {0,3}(`{3,}|~{3,}).*(?:\n(?:[^]*?\n)?? {0,3}\1[`~]*[ \t]*$|[^]*)/gm, ' ')
    .replace(/!?\[([^[\]\n]*)\]\([^()\s]*(?:\([^()\s]*\)[^()\s]*)*(?:\s+"[^"\n]*")?\)/g, '$1')
    .replace(/https?:\/\/[^\s<>)\]]+/g, '')
    .replace(/^[ \t]*(?:[-*_][ \t]*){3,}$/gm, '')
    .replace(/^[ \t]{0,9}\|?(?:[ \t]{0,9}:?-+:?[ \t]{0,9}\|)+[ \t]{0,9}:?-*:?[ \t]*$/gm, '')
    .replace(/^[ \t]*(?:[-*+]|>)[ \t]+/gm, '')
    .replace(/(?<=\w)_(?=\w)/g, ' ')
    .replace(/\|/g, ', ')
    .replace(/[*_`#[\]()]|~~/g, '');
  return words
    .replace(/[ \t]{2,}/g, ' ')
    .replace(/[ \t]+$/gm, '')
    .replace(/\n{3,}/g, '\n\n')
    .trim()
    .slice(0, longest)
    .toWellFormed()
    .trim();
}
