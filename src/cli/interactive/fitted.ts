/** Keeps a component inside the terminal: the library ends the program when a line is too wide. */
import { type Component, truncateToWidth, visibleWidth } from '@earendil-works/pi-tui';

/** The component with every line cut to the width it is drawn at. */
export function fitted(component: Component): Component {
  return {
    render: (width) => component.render(width).map((line) => fittedLine(line, width)),
    invalidate: () => component.invalidate(),
  };
}

/**
 * The component without the spaces that fill its lines up: a terminal that gets narrower would break them into empty
 * rows. The component must return the same lines as long as nothing changed.
 */
export function unpadded(component: Component): Component {
  let lines: string[] = [];
  let trimmed: string[] = [];
  return {
    render(width) {
      const now = component.render(width);
      if (now !== lines) {
        lines = now;
        trimmed = now.map((line) => line.trimEnd());
      }
      return trimmed;
    },
    invalidate: () => component.invalidate(),
  };
}

export function fittedLine(line: string, width: number): string {
  // Nothing takes more than three columns, which is what a tab takes.
  if (line.length * 3 <= width) return line;
  return visibleWidth(line) > width ? truncateToWidth(line, width) : line;
}
