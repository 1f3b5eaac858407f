/** Without any marks: text messages, iMessage, and what is sent when a platform refuses the marks. */
import { asWritten, render, type Style } from '../markdown/render.ts';

export function toPlain(markdown: string): string {
  return render(markdown, plainStyle)
    .replaceAll(/\n{3,}/g, '\n\n')
    .trim();
}

/** The address of a link stays readable; code is never changed. */
export const plainStyle: Style = {
  ...asWritten,
  escaped: (character) => character,
  code: (code) => code,
  strong: (words) => words,
  emphasis: (words) => words,
  link: (url, words) => withAddress(words, url),
  image: (url, alt) => withAddress(alt, url),
  heading: (words) => words,
  block: (code) => code,
};

/** `words (address)`, and the address alone where the words say nothing else. */
export function withAddress(words: string, url: string): string {
  return words.trim() === '' || words === url ? url : `${words} (${url})`;
}
