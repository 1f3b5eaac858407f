/** How loud it was a moment ago, as a row of bars. */
import { loudest } from '../../speech/voice/sound.ts';

const bars = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
const width = 6;

export class LevelBar {
  #levels: readonly number[] = Array.from({ length: width }, () => 0);

  add(loudness: number): void {
    this.#levels = [...this.#levels.slice(1), loudness];
  }

  get drawn(): string {
    return this.#levels.map(barOf).join('');
  }
}

/** People hear tenfold power as twice as loud, so the steps are those of a logarithm. */
function barOf(loudness: number): string {
  const share = Math.log10(1 + loudness) / Math.log10(1 + loudest);
  return bars[Math.min(bars.length - 1, Math.floor(share * bars.length))] ?? '';
}
