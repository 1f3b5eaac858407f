/** Google Chat's marks (https://developers.google.com/workspace/chat/format-messages). */
import { asWritten, render, type Style } from '../markdown/render.ts';

export function toGoogleChat(markdown: string): string {
  return render(markdown, style);
}

const link = (url: string, words: string): string => `<${url.replaceAll('|', '%7C').replaceAll('>', '%3E')}|${words}>`;

const style: Style = {
  ...asWritten,
  strong: (words, mark) => (mark === '__' ? `__${words}__` : `*${words}*`),
  emphasis: (words) => `_${words}_`,
  strike: (words) => `~${words}~`,
  link,
  image: (url, alt) => link(url, alt),
  heading: (_, __, flat) => `*${flat}*`,
};
