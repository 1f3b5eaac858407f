/** Slack's mrkdwn (https://docs.slack.dev/messaging/formatting-message-text). */
import { asWritten, render, type Style } from '../markdown/render.ts';

export function toSlack(markdown: string): string {
  return render(markdown, style);
}

// People and channels may be named, and addresses linked; `<!channel>` and its like would call everybody.
const ENTITY = /<(?:[@#][A-Z0-9]+(?:\|[^<>|]*)?|https?:\/\/[^<>\s|]+(?:\|[^<>|]*)?|mailto:[^<>\s|]+)>/g;

function escapeSlack(text: string): string {
  return text
    .split(new RegExp(`(${ENTITY.source})`))
    .map((piece, index) => (index % 2 === 1 ? piece : escapeMarks(piece)))
    .join('');
}

const escapeMarks = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

const style: Style = {
  ...asWritten,
  text: escapeSlack,
  code: (_, source) => escapeMarks(source),
  strong: (words, mark) => (mark === '__' ? `__${words}__` : `*${words}*`),
  emphasis: (words) => `_${words}_`,
  strike: (words) => `~${words}~`,
  link: (url, words) => `<${url.replaceAll('|', '%7C').replaceAll('>', '%3E')}|${words.replaceAll('|', '¦')}>`,
  image: (_, __, source) => escapeMarks(source),
  heading: (_, __, flat) => `*${flat}*`,
  block: (_, __, source) => escapeMarks(source),
};
