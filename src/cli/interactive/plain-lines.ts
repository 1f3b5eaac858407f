/** The keyboard of a chat without a drawn screen: whole lines, as the terminal itself edits them. */
import { createInterface, type Interface } from 'node:readline';

export interface PlainLinesOptions {
  readonly stdin: NodeJS.ReadStream;
  /** What was typed, or pasted at once. */
  onText(text: string): void;
  /** Nothing more will come. */
  onEnd(): void;
  /** Ctrl+C while nothing typed is shown. */
  onCtrlC(): void;
}

/** Lines that come so close were pasted, in milliseconds. */
const togetherMs = 30;

export class PlainLines {
  readonly #options: PlainLinesOptions;
  #reader: Interface | undefined;
  #collected: string[] = [];
  #timer: NodeJS.Timeout | undefined;

  constructor(options: PlainLinesOptions) {
    this.#options = options;
  }

  start(): void {
    const reader = createInterface({ input: this.#options.stdin, terminal: false });
    this.#reader = reader;
    reader.on('line', (line) => {
      this.#collected.push(line);
      clearTimeout(this.#timer);
      this.#timer = setTimeout(() => this.#deliver(), togetherMs);
    });
    reader.on('close', () => {
      if (this.#reader !== reader) return;
      this.#deliver();
      this.#options.onEnd();
    });
  }

  stop(): void {
    const reader = this.#reader;
    this.#reader = undefined;
    clearTimeout(this.#timer);
    reader?.close();
    this.#options.stdin.pause();
  }

  /** A line that is not shown while it is typed; undefined when `signal` aborts or Escape or Ctrl+C is pressed. */
  async hidden(signal: AbortSignal): Promise<string | undefined> {
    const { stdin } = this.#options;
    this.stop();
    const { promise, resolve } = Promise.withResolvers<string | undefined>();
    let typed = '';
    const onData = (data: Buffer | string): void => {
      for (const key of String(data)) {
        if (key === '\r' || key === '\n') resolve(typed);
        else if (key === '\u0003') this.#options.onCtrlC();
        else if (key === '\u001b' || key === '\u0004') resolve(undefined);
        else if (key === '\u007f' || key === '\b') typed = Array.from(typed).slice(0, -1).join('');
        else typed += key;
      }
    };
    const onAbort = (): void => resolve(undefined);
    signal.addEventListener('abort', onAbort, { once: true });
    stdin.setRawMode?.(true);
    stdin.on('data', onData);
    stdin.resume();
    try {
      return signal.aborted ? undefined : await promise;
    } finally {
      signal.removeEventListener('abort', onAbort);
      stdin.off('data', onData);
      stdin.setRawMode?.(false);
      this.start();
    }
  }

  /** A backslash at its end goes on with the next line. */
  #deliver(): void {
    clearTimeout(this.#timer);
    if (this.#collected.length === 0 || this.#collected.at(-1)?.endsWith('\\') === true) return;
    const text = this.#collected.splice(0).join('\n').replaceAll('\\\n', '\n');
    this.#options.onText(text);
  }
}
