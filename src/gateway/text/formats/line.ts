/** LINE shows plain text only; lists get round bullets. */
import { render, type Style } from '../markdown/render.ts';
import { plainStyle } from './plain.ts';

export function toLine(markdown: string): string {
  return render(markdown, style);
}

const style: Style = {
  ...plainStyle,
  // Underscores are more often part of a name than a mark.
  strong: (words, mark) => (mark === '__' ? `__${words}__` : words),
  emphasis: (words, mark) => (mark === '_' ? `_${words}_` : words),
  escaped: (character) => character,
  bullet: () => '• ',
};
