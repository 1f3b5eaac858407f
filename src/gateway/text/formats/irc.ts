/** IRC shows plain text only, line by line. */
import { render, type Style } from '../markdown/render.ts';
import { plainStyle } from './plain.ts';

export function toIrc(markdown: string): string {
  return render(markdown, style);
}

const style: Style = {
  ...plainStyle,
  image: (url) => url,
  heading: (words, marks) => marks + words,
};
