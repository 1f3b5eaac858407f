/** Shows a running command's output on the surface, a few times a second. */
import { stripAnsi } from '../../lib/ansi.ts';

const intervalMs = 200;
const maxPendingChars = 4000;

/** Collects chunks and sends them on together. Quick commands end before anything is sent. */
export class LiveOutput {
  readonly #send: (text: string) => void;
  #pending = '';
  #timer: NodeJS.Timeout | undefined;

  constructor(send: (text: string) => void) {
    this.#send = send;
  }

  push(chunk: string): void {
    this.#pending = (this.#pending + chunk).slice(-maxPendingChars);
    this.#timer ??= setTimeout(() => this.#flush(), intervalMs);
  }

  /** Nothing is sent any more; the result itself follows. */
  stop(): void {
    clearTimeout(this.#timer);
    this.#pending = '';
  }

  #flush(): void {
    this.#timer = undefined;
    const text = stripAnsi(this.#pending);
    this.#pending = '';
    if (text.trim() !== '') this.#send(text);
  }
}
