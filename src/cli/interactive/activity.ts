/** The line above the input box that says what the agent is doing. */
import { type Component, truncateToWidth } from '@earendil-works/pi-tui';
import { formatDuration } from '../chat/exit-summary.ts';
import type { Colors } from '../render/colors.ts';

const frames = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'];
const frameMs = 100;

export class Activity implements Component {
  /** While something else asks for attention. */
  hidden = false;
  readonly #colors: Colors;
  readonly #refresh: () => void;
  #message: string | undefined;
  #since = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(colors: Colors, refresh: () => void) {
    this.#colors = colors;
    this.#refresh = refresh;
  }

  /** The time counts from the first message after none. */
  set(message: string | undefined): void {
    if (message === undefined) {
      clearInterval(this.#timer);
      this.#timer = undefined;
    } else if (this.#timer === undefined) {
      this.#since = Date.now();
      this.#timer = setInterval(() => this.#refresh(), frameMs).unref();
    }
    this.#message = message;
    this.#refresh();
  }

  render(width: number): string[] {
    if (this.#message === undefined || this.hidden) return [''];
    const elapsed = Date.now() - this.#since;
    const frame = frames[Math.floor(elapsed / frameMs) % frames.length] ?? '';
    const time = elapsed < 60_000 ? `${(elapsed / 1000).toFixed(1)}s` : formatDuration(elapsed);
    const line = truncateToWidth(` ${frame} ${this.#message} (${time} · Ctrl+C stops)`, width);
    return ['', this.#colors.dim(line)];
  }

  invalidate(): void {
    // Nothing is cached.
  }
}
