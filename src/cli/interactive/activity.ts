/** The lines above the input box: what the agent is doing, and what a key would do now. */
import { type Component, truncateToWidth } from '@earendil-works/pi-tui';
import { formatDuration } from '../chat/exit-summary.ts';
import type { Colors } from '../render/colors.ts';

const frames = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'];
const frameMs = 100;

export interface ActivityOptions {
  readonly colors: Colors;
  /** Has the line drawn again. */
  refresh(): void;
  /** What Enter would do with what is typed while the agent works; undefined = nothing is typed. */
  enterHint?(): string | undefined;
  /** In the place of the word "thinking". */
  readonly thinking?: ((ms: number) => string) | undefined;
  /** The mark does not turn. */
  readonly still?: boolean;
  /** In milliseconds. */
  now?(): number;
}

export class Activity implements Component {
  /** While something else asks for attention. */
  hidden = false;
  readonly #options: ActivityOptions;
  #message: string | undefined;
  #since = 0;
  /** Time that passed while a person was asked, and since when one is. */
  #pausedMs = 0;
  #pausedAt: number | undefined;
  #timer: NodeJS.Timeout | undefined;
  #hint: string | undefined;
  #hintTimer: NodeJS.Timeout | undefined;

  constructor(options: ActivityOptions) {
    this.#options = options;
  }

  /** The time counts from the first message after none. */
  set(message: string | undefined): void {
    if (message === undefined) {
      clearInterval(this.#timer);
      this.#timer = undefined;
    } else if (this.#message === undefined) {
      this.#since = this.#now();
      this.#pausedMs = 0;
      this.#pausedAt = this.hidden ? this.#since : undefined;
      if (this.#options.still !== true) this.#timer = setInterval(() => this.#options.refresh(), frameMs).unref();
    }
    this.#message = message;
    this.#options.refresh();
  }

  /** A line for a short while, `ms` milliseconds. */
  hint(text: string, ms: number): void {
    clearTimeout(this.#hintTimer);
    this.#hint = text;
    this.#hintTimer = setTimeout(() => this.clearHint(), ms).unref();
    this.#options.refresh();
  }

  clearHint(): void {
    clearTimeout(this.#hintTimer);
    this.#hint = undefined;
    this.#options.refresh();
  }

  /** While a person is asked nothing runs, so the time stands still. */
  pause(): void {
    this.hidden = true;
    this.#pausedAt ??= this.#now();
  }

  resume(): void {
    this.hidden = false;
    if (this.#pausedAt !== undefined) this.#pausedMs += this.#now() - this.#pausedAt;
    this.#pausedAt = undefined;
  }

  render(width: number): string[] {
    const { colors } = this.#options;
    const hint = this.#hint === undefined ? [] : [colors.yellow(truncateToWidth(` ${this.#hint}`, width))];
    if (this.#message === undefined || this.hidden) return ['', ...hint];
    const elapsed = this.#now() - this.#since - this.#pausedMs;
    const { still = false } = this.#options;
    const frame = still ? '·' : (frames[Math.floor(elapsed / frameMs) % frames.length] ?? '');
    const time = elapsed < 60_000 && !still ? `${(elapsed / 1000).toFixed(1)}s` : formatDuration(elapsed);
    const { thinking } = this.#options;
    const message = this.#message === 'thinking' ? (thinking?.(elapsed) ?? this.#message) : this.#message;
    const line = truncateToWidth(` ${frame} ${message} (${time} · Esc stops)`, width);
    const enter = this.#options.enterHint?.();
    const enterLine = enter === undefined ? [] : [colors.dim(truncateToWidth(`   ${enter}`, width))];
    return ['', colors.dim(line), ...enterLine, ...hint];
  }

  invalidate(): void {
    // Nothing is cached.
  }

  #now(): number {
    return this.#options.now?.() ?? Date.now();
  }
}
