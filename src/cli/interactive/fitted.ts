/** Keeps a component inside the terminal: the library ends the program when a line is too wide. */
import { type Component, truncateToWidth, visibleWidth } from '@earendil-works/pi-tui';

/** The component with every line cut to the width it is drawn at. */
export function fitted(component: Component): Component {
  return {
    render: (width) => component.render(width).map((line) => fittedLine(line, width)),
    invalidate: () => component.invalidate(),
  };
}

export function fittedLine(line: string, width: number): string {
  // Nothing takes more than three columns, which is what a tab takes.
  if (line.length * 3 <= width) return line;
  return visibleWidth(line) > width ? truncateToWidth(line, width) : line;
}
