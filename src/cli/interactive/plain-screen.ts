/** A chat without a drawn screen, for screen readers and terminals that can do nothing: line by line, nothing ever changes. */
import type { Picked, PickList, PickRow } from '../../commands/pick.ts';
import { terminalText } from '../render/terminal-text.ts';
import type { ChatScreen, ChoicePanel, Questions } from './chat-screen.ts';
import type { Piece, PlacedText } from './live-text.ts';
import { PlainLines } from './plain-lines.ts';

export interface PlainScreenOptions {
  readonly stdin: NodeJS.ReadStream;
  readonly stdout: NodeJS.WriteStream;
  /** In front of what is typed, such as `❯ `. */
  prompt(): string;
  onSubmit(text: string): void;
  onCtrlC(): void;
  /** Nothing more will be typed. */
  onEnd(): void;
}

/** The prompt comes when nothing was said for so long, in milliseconds. */
const promptAfterMs = 150;
/** Rows of a list that are read out. */
const maxRows = 20;
/** Nothing written here is ever changed or taken back. */
const written: PlacedText = { set: () => undefined, remove: () => undefined, isOnScreen: () => false };

export class PlainScreen implements ChatScreen, Questions {
  readonly plain = true;
  readonly ask: Questions = this;
  /** Nobody knows what is being typed before the line is there. */
  readonly inputText = '';
  readonly #options: PlainScreenOptions;
  readonly #lines: PlainLines;
  #running = false;
  #busy = false;
  /** The prompt stands at the end, without a line's end. */
  #prompted = false;
  #blank = true;
  #promptTimer: NodeJS.Timeout | undefined;
  #question: ((line: string | undefined) => void) | undefined;

  constructor(options: PlainScreenOptions) {
    this.#options = options;
    this.#lines = new PlainLines({
      stdin: options.stdin,
      onText: (text) => this.#take(text),
      onEnd: () => {
        this.#question?.(undefined);
        options.onEnd();
      },
      onCtrlC: () => options.onCtrlC(),
    });
  }

  get columns(): number {
    return this.#options.stdout.columns || 80;
  }

  start(): void {
    this.#running = true;
    this.#lines.start();
    this.#promptSoon();
  }

  stop(): void {
    if (!this.#running) return;
    this.#endPrompt();
    this.#running = false;
    clearTimeout(this.#promptTimer);
    this.#lines.stop();
  }

  abandon(): void {
    this.#running = false;
    clearTimeout(this.#promptTimer);
    this.#lines.stop();
  }

  async lend<Result>(work: () => Promise<Result>): Promise<Result> {
    this.#lines.stop();
    try {
      return await work();
    } finally {
      if (this.#running) this.#lines.start();
    }
  }

  print(text: string): PlacedText {
    this.#endPrompt();
    this.#options.stdout.write(`${text}\n`);
    this.#blank = text === '';
    this.#promptSoon();
    return written;
  }

  markdown({ text }: Piece): PlacedText {
    return this.print(text);
  }

  gap(): void {
    if (!this.#blank) this.print('');
  }

  /** What is going on is said once, when it begins; what waits for the answer to a question goes on no further. */
  setActivity(message: string | undefined): void {
    if (message !== undefined && !this.#busy && this.#question === undefined) this.print('Working.');
    this.#busy = message !== undefined;
    this.#promptSoon();
  }

  hint(text: string): void {
    this.print(text);
  }

  /** Nothing can be put in front of the cursor, so it is shown. */
  offerInput(text: string): void {
    this.print(`Your text: ${terminalText(text)}`);
  }

  clearInput(): void {}

  remember(): void {}

  refresh(): void {}

  repaint(): void {}

  invalidate(): void {}

  clear(): void {}

  /** No titles and notices: they would be read out, or stand there as text. */
  writeSequence(): void {}

  async choose({ lines, choices, preselected }: ChoicePanel, signal: AbortSignal): Promise<string | undefined> {
    for (const line of lines) this.print(line);
    for (const [at, { label, description }] of choices.entries()) {
      this.print(`  ${at + 1} ${label}${description === undefined ? '' : `: ${description}`}`);
    }
    for (;;) {
      const line = await this.#answer(`Number, or Enter for ${preselected + 1}: `, signal);
      if (line === undefined) return undefined;
      const typed = line.trim().toLowerCase();
      const chosen =
        typed === ''
          ? choices[preselected]
          : (choices[Number(typed) - 1] ??
            choices.find(({ label, words }) => label.toLowerCase() === typed || words?.includes(typed) === true));
      if (chosen !== undefined) return chosen.value;
      this.print(`Please answer with a number from 1 to ${choices.length}.`);
    }
  }

  async text(
    lines: readonly string[],
    { hidden }: { readonly hidden: boolean },
    signal: AbortSignal,
  ): Promise<string | undefined> {
    for (const line of lines) this.print(line);
    if (!hidden) return await this.#answer('> ', signal);
    this.#say('What you type is not shown: ');
    const answer = await this.#lines.hidden(signal);
    this.#endPrompt();
    return answer;
  }

  async pick(list: PickList, signal: AbortSignal): Promise<Picked | undefined> {
    let all: readonly PickRow[] = list.rows;
    await list.more?.((more) => {
      all = [...all, ...more];
    }, signal);
    const actions = list.actions ?? [];
    const keys = actions.map(({ name }) => `, or a number and “${name}”`).join('');
    let words = '';
    for (;;) {
      const rows = all.filter((row) => fits(row, words));
      this.print(terminalText(list.title));
      for (const [at, { label, description }] of rows.slice(0, maxRows).entries()) {
        this.print(terminalText(`  ${at + 1} ${label}${description === undefined ? '' : `: ${description}`}`));
      }
      if (rows.length > maxRows) this.print(`  and ${rows.length - maxRows} more; words narrow them down`);
      if (rows.length === 0) this.print('  nothing fits');
      const line = await this.#answer(`Number${keys}, words to search, or Enter to leave: `, signal);
      if (line === undefined || line.trim() === '') return undefined;
      const [, number = '', word = ''] = /^(\d+)\s*(\S*)$/.exec(line.trim()) ?? [];
      const row = rows[Number(number) - 1];
      const action = actions.find(({ name }) => name === word);
      if (number === '') words = line.trim().toLowerCase();
      else if (row !== undefined && (word === '' || action !== undefined)) {
        return { value: row.value, ...(action === undefined ? {} : { action: action.name }) };
      }
    }
  }

  async #answer(prompt: string, signal: AbortSignal): Promise<string | undefined> {
    if (signal.aborted) return undefined;
    const { promise, resolve } = Promise.withResolvers<string | undefined>();
    const onAbort = (): void => resolve(undefined);
    signal.addEventListener('abort', onAbort, { once: true });
    this.#question = resolve;
    this.#say(prompt);
    try {
      return await promise;
    } finally {
      signal.removeEventListener('abort', onAbort);
      this.#question = undefined;
      this.#promptSoon();
    }
  }

  #take(text: string): void {
    this.#prompted = false;
    this.#blank = false;
    if (this.#question !== undefined) return this.#question(text);
    this.#promptSoon();
    this.#options.onSubmit(text);
  }

  /** Without a line's end: what is typed stands behind it. */
  #say(prompt: string): void {
    this.#endPrompt();
    this.#options.stdout.write(prompt);
    this.#prompted = true;
  }

  #endPrompt(): void {
    if (this.#prompted) this.#options.stdout.write('\n');
    this.#prompted = false;
  }

  #promptSoon(): void {
    clearTimeout(this.#promptTimer);
    this.#promptTimer = setTimeout(() => {
      if (this.#running && !this.#busy && !this.#prompted && this.#question === undefined) {
        this.#say(this.#options.prompt());
      }
    }, promptAfterMs);
  }
}

function fits({ label, description = '' }: PickRow, words: string): boolean {
  const text = `${label} ${description}`.toLowerCase();
  return words.split(/\s+/).every((word) => text.includes(word));
}
