/** Colours that change while the chat is open: those of the terminal, with what the skin says over them. */
import type { Colors } from '../render/colors.ts';
import type { Skin } from './skin.ts';

type Paint = (text: string) => string;

/** What was printed keeps its colours. */
export class SkinPalette implements Colors {
  readonly #dark: Colors;
  readonly #light: Colors;
  readonly #trueColor: boolean;
  #isLight = false;
  #skin: Skin | undefined;
  #now: Colors;

  /** `base` without colours stays so. */
  constructor(base: Colors, trueColor: boolean) {
    this.#dark = base;
    this.#light = isPlain(base) ? base : { ...base, ...paintsOf(onLight, trueColor) };
    this.#trueColor = trueColor;
    this.#now = base;
  }

  /** On a light background the usual yellow, cyan and dim could not be read. True when something changed. */
  setLight(isLight: boolean): boolean {
    if (isLight === this.#isLight) return false;
    this.#isLight = isLight;
    if (this.#skin === undefined) this.#now = isLight ? this.#light : this.#dark;
    else this.wear(this.#skin);
    return true;
  }

  wear(skin: Skin): void {
    this.#skin = skin;
    const base = this.#isLight ? this.#light : this.#dark;
    if (isPlain(base)) return;
    const { colors } = skin;
    const paint = (hex: string | undefined, usual: Paint): Paint =>
      hex === undefined ? usual : foreground(hex, this.#trueColor);
    this.#now = {
      ...base,
      cyan: paint(colors.accent, base.cyan),
      green: paint(colors.good, base.green),
      yellow: paint(colors.warning, base.yellow),
      orange: paint(colors.warning, base.orange),
      red: paint(colors.bad, base.red),
      dim: paint(colors.quiet, base.dim),
    };
  }

  readonly dim: Paint = (text) => this.#now.dim(text);
  readonly bold: Paint = (text) => this.#now.bold(text);
  readonly italic: Paint = (text) => this.#now.italic(text);
  readonly underline: Paint = (text) => this.#now.underline(text);
  readonly red: Paint = (text) => this.#now.red(text);
  readonly green: Paint = (text) => this.#now.green(text);
  readonly yellow: Paint = (text) => this.#now.yellow(text);
  readonly cyan: Paint = (text) => this.#now.cyan(text);
  readonly orange: Paint = (text) => this.#now.orange(text);
}

/** Each with a contrast of 4.5 and more to white (WCAG 2, AA). */
const onLight = {
  dim: '#5f6368',
  red: '#b3261e',
  green: '#1a6b1a',
  yellow: '#7a5200',
  cyan: '#00617a',
  orange: '#a04000',
} as const;

function paintsOf(hexes: typeof onLight, trueColor: boolean): Pick<Colors, keyof typeof onLight> {
  const paint = (hex: string): Paint => foreground(hex, trueColor);
  return {
    dim: paint(hexes.dim),
    red: paint(hexes.red),
    green: paint(hexes.green),
    yellow: paint(hexes.yellow),
    cyan: paint(hexes.cyan),
    orange: paint(hexes.orange),
  };
}

const isPlain = (colors: Colors): boolean => colors.red('x') === 'x';

/** Terminals that do not say that they know all colours get the nearest of the 256 that nearly all know. */
function foreground(hex: string, trueColor: boolean): Paint {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => Number.parseInt(hex.slice(at, at + 2), 16));
  const code = trueColor ? `2;${red};${green};${blue}` : `5;${nearestOf256(red, green, blue)}`;
  return (text) => (text === '' ? '' : `\u001b[38;${code}m${text}\u001b[39m`);
}

/** A cube of 6×6×6 from 16, and 24 greys from 232 (xterm, ctlseqs). */
function nearestOf256(red: number, green: number, blue: number): number {
  if (Math.max(red, green, blue) - Math.min(red, green, blue) < 10) {
    return Math.min(255, 232 + Math.max(0, Math.round((red - 8) / 10)));
  }
  const [r = 0, g = 0, b = 0] = [red, green, blue].map((value) => (value < 48 ? 0 : Math.round((value - 55) / 40)));
  return 16 + 36 * r + 6 * g + b;
}
