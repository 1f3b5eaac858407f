/** The few colours in use, as functions; without colour they return the text as it is. */
import type { TerminalSettings } from '../../config/process-settings.ts';

export interface Colors {
  readonly dim: (text: string) => string;
  readonly bold: (text: string) => string;
  readonly italic: (text: string) => string;
  readonly underline: (text: string) => string;
  readonly red: (text: string) => string;
  readonly green: (text: string) => string;
  readonly yellow: (text: string) => string;
  readonly cyan: (text: string) => string;
  readonly orange: (text: string) => string;
}

const identity = (text: string): string => text;
const plain: Colors = {
  dim: identity,
  bold: identity,
  italic: identity,
  underline: identity,
  red: identity,
  green: identity,
  yellow: identity,
  cyan: identity,
  orange: identity,
};

const sgr =
  (on: string, off: number) =>
  (text: string): string =>
    text === '' ? '' : `\u001b[${on}m${text}\u001b[${off}m`;

const ansi: Colors = {
  dim: sgr('2', 22),
  bold: sgr('1', 22),
  italic: sgr('3', 23),
  underline: sgr('4', 24),
  red: sgr('31', 39),
  green: sgr('32', 39),
  yellow: sgr('33', 39),
  cyan: sgr('36', 39),
  orange: sgr('38;5;208', 39),
};

/** Colour for a stream: only on a terminal that has some and whose user wants it. */
export function colorsFor(stream: { readonly isTTY?: boolean }, terminal: Pick<TerminalSettings, 'color'>): Colors {
  return stream.isTTY === true && terminal.color ? ansi : plain;
}
