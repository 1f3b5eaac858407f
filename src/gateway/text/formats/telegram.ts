/** Telegram's MarkdownV2 (https://core.telegram.org/bots/api#markdownv2-style). */
import { asWritten, render, type Style } from '../markdown/render.ts';
import { tablesToLists } from '../markdown/tables.ts';

export function toTelegram(markdown: string): string {
  return render(tablesToLists(markdown), style);
}

/** Any text so that Telegram shows it as it is. */
function escapeTelegram(text: string): string {
  return text.replaceAll(/[_*[\]()~`>#+\-=|{}.!\\]/g, '\\$&').replaceAll(spoiler, '||$1||');
}

/** Two marks with something between them; one alone would hide the rest of the message, and is refused. */
const spoiler = /\\\|\\\|(?=\S)([^\n]*?\S)\\\|\\\|/g;

const escapeCode = (code: string): string => code.replaceAll(/[`\\]/g, '\\$&');

const style: Style = {
  ...asWritten,
  text: escapeTelegram,
  escaped: (character) => `\\${character}`,
  code: (code) => `\`${escapeCode(code)}\``,
  // `__` underlines there, and `_` would break on snake_case: both stay text, as the original has it.
  strong: (words, mark) => (mark === '__' ? `\\_\\_${words}\\_\\_` : `*${words}*`),
  emphasis: (words, mark) => (mark === '_' ? `\\_${words}\\_` : `_${words}_`),
  strike: (words) => `~${words}~`,
  link: (url, words) => `[${words}](${url.replaceAll(/[()\\]/g, '\\$&')})`,
  image: (url, alt) => `\\![${escapeTelegram(alt)}](${url.replaceAll(/[()\\]/g, '\\$&')})`,
  // A quote within a quote is none there, and refused.
  quote: (marks) => `>${escapeTelegram(marks.slice(1))}`,
  heading: (_, __, flat) => `*${flat}*`,
  bullet: (indent, mark, space) => indent + escapeTelegram(mark) + space,
  block: (code, { info }) => `\`\`\`${/^[\w+#.-]*/.exec(info)?.[0] ?? ''}\n${escapeCode(code)}\n\`\`\``,
};
