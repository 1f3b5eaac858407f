/** Tells a person who looks elsewhere: the terminal's title, a notice of the desktop, the bell. */

export interface AttentionOptions {
  /** Sends a sequence to the terminal. */
  write(sequence: string): void;
  /** What the title names, such as the folder. */
  readonly name: string;
  /** `display.bell_on_complete`: rings, and notices come even while somebody looks. */
  readonly bell: boolean;
}

/** Keeps the shell's title, and asks to be told when the terminal is looked at and when not (xterm's control sequences). */
export const beginAttention = '\u001b[22;0t\u001b[?1004h';
/** The opposite. */
export const endAttention = '\u001b[?1004l\u001b[23;0t';
/** What a terminal sends then. */
export const focusGained = '\u001b[I';
export const focusLost = '\u001b[O';

const maxNoticeChars = 120;

export class Attention {
  readonly #options: AttentionOptions;
  #looking = true;
  #title = '';

  constructor(options: AttentionOptions) {
    this.#options = options;
  }

  /** A terminal that does not tell counts as looked at. */
  focus(gained: boolean): void {
    this.#looking = gained;
  }

  idle(): void {
    this.#show('⚕');
  }

  working(): void {
    this.#show('⏳');
  }

  /** The turn is over. `answer` is how it ended. */
  done(answer: string): void {
    this.idle();
    this.#call(answer === '' ? 'The turn is done.' : answer);
  }

  /** Something came that is not the end of the turn. */
  told(text: string): void {
    this.#call(text);
  }

  /** A question stands on the screen while the agent works. */
  waits(question: string): void {
    this.#show('❓');
    this.#call(question);
  }

  #show(mark: string): void {
    const title = `${mark} ${plain(this.#options.name)}`;
    if (title === this.#title) return;
    this.#title = title;
    this.#options.write(`\u001b]0;${title}\u0007`);
  }

  #call(text: string): void {
    const { bell } = this.#options;
    if (bell) this.#options.write('\u0007');
    if (this.#looking && !bell) return;
    const words = plain(text).slice(0, maxNoticeChars);
    // One for iTerm2, kitty, WezTerm and Windows Terminal, one for foot, urxvt and the terminals on VTE; a semicolon would end a field.
    this.#options.write(`\u001b]9;${words}\u0007\u001b]777;notify;Hermes;${words.replaceAll(';', ',')}\u0007`);
  }
}

/** On one line, without anything that a terminal obeys. */
function plain(text: string): string {
  return text
    .replace(/[\p{Cc}\p{Cf}]+/gu, ' ')
    .replace(/\s+/g, ' ')
    .trim();
}
