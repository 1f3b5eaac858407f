/** Markdown in Telegram's markup. https://core.telegram.org/bots/api#markdownv2-style */

/** Bold and code; everything else is shown as it is written. */
export function formatMarkdownV2(markdown: string): string {
  return markdown
    .split(/(\*\*[^*\n]+\*\*|```[\s\S]*?```|`[^`\n]+`)/)
    .map((part, index) => (index % 2 === 0 ? escaped(part) : formatted(part)))
    .join('');
}

function formatted(part: string): string {
  if (part.startsWith('**')) return `*${escaped(part.slice(2, -2))}*`;
  const fence = part.startsWith('```') ? '```' : '`';
  return fence + part.slice(fence.length, -fence.length).replaceAll(/[`\\]/g, String.raw`\$&`) + fence;
}

function escaped(text: string): string {
  return text.replaceAll(/[_*[\]()~`>#+\-=|{}.!\\]/g, String.raw`\$&`);
}
