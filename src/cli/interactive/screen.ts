/** The terminal as the chat uses it: the conversation above, a question or what is going on, the input box, the status bar. */
import { type AutocompleteProvider, type Component, Container, Spacer, Text } from '@earendil-works/pi-tui';
import type { Colors } from '../render/colors.ts';
import type { Room } from './above-input.ts';
import { Activity } from './activity.ts';
import { beginAttention, endAttention } from './attention.ts';
import type { ChatScreen, PanelPlace, Questions } from './chat-screen.ts';
import { ChatTerminal } from './chat-terminal.ts';
import { ChatTui } from './chat-tui.ts';
import { fitted, unpadded } from './fitted.ts';
import { Highlighter } from '../render/highlight.ts';
import { RichMarkdown } from './rich-markdown.ts';
import { KeyHelp } from './key-help.ts';
import { PanelQuestions } from './panel-questions.ts';
import { PromptBox } from './prompt-box.ts';
import { type ScreenHandlers, ScreenKeys } from './screen-keys.ts';
import { commitScrolledBlocks } from './scrolled-blocks.ts';
import type { Piece, PlacedText } from './live-text.ts';

export interface ScreenOptions {
  readonly colors: Colors;
  /** In front of the input, such as `❯ `. */
  prompt(): string;
  /** Lines that scrolled away and are drawn again when the window changes. */
  readonly redrawLines: number;
  /** Seconds between two drawings while nothing happens; 0 = none. */
  readonly refreshSeconds: number;
  /** Nothing turns while one waits. */
  readonly still: boolean;
  /** The terminal breaks its lines anew when it gets narrower; others cut them off. */
  readonly reflows: boolean;
  /** Line breaks from which what comes at once was pasted, where the terminal does not say so; 0 = never. */
  readonly pasteLineBreaks: number;
  /** What is offered while something is typed. */
  readonly completion?: AutocompleteProvider;
  readonly history: readonly string[];
  /** Hears the colour behind everything, where the terminal tells it; absent: it is not asked. */
  onBackground?(color: { readonly r: number; readonly g: number; readonly b: number }): void;
  /** Lines above the input box. */
  above?(room: Room): readonly string[];
  /** The line under the input box; empty = none. */
  statusBar(width: number): string;
  /** What is said while the model thinks, `ms` milliseconds into it; default: thinking. */
  readonly thinking?: ((ms: number) => string) | undefined;
  /** What Enter does with a message while the agent works. */
  enterHint?(): string;
}

/** A stopped program does not count the time: this is over as soon as it is continued. In milliseconds. */
const resumeAfterMs = 200;
/** A terminal that does not tell its background in this time never will, in milliseconds. */
const backgroundMs = 2000;
export class Screen implements ChatScreen, PanelPlace {
  readonly plain = false;
  readonly ask: Questions;
  readonly #terminal: ChatTerminal;
  readonly #tui: ChatTui;
  readonly #transcript = new Container();
  /** A question takes the place of the input box. */
  readonly #bottom = new Container();
  readonly #highlighter: Highlighter;
  readonly #activity: Activity;
  readonly #editor: PromptBox;
  readonly #keys: ScreenKeys;
  readonly #options: ScreenOptions;
  #clock: NodeJS.Timeout | undefined;
  #running = false;
  /** Another program has the terminal. */
  #lent = false;

  constructor(options: ScreenOptions, handlers: ScreenHandlers) {
    this.#options = options;
    this.ask = new PanelQuestions(this, options.colors);
    this.#terminal = new ChatTerminal(options.pasteLineBreaks);
    this.#tui = new ChatTui(this.#terminal, this.#transcript, options.reflows);
    this.#terminal.scrolledLines = () => this.#scrolledLines();
    this.#highlighter = new Highlighter(options.colors, () => {
      this.#transcript.invalidate();
      this.refresh();
    });
    this.#activity = new Activity({
      colors: options.colors,
      refresh: () => this.refresh(),
      thinking: options.thinking,
      still: options.still,
      enterHint: () => (/^[^/]/.test(this.inputText) ? options.enterHint?.() : undefined),
    });
    this.#editor = new PromptBox(this.#tui, () => options.prompt(), options.colors);
    if (options.completion !== undefined) this.#editor.setAutocompleteProvider(options.completion);
    for (const entry of options.history) this.#editor.addToHistory(entry);
    this.#editor.onSubmit = (text) => handlers.onSubmit(text);
    this.#keys = new ScreenKeys(handlers, {
      box: this.#editor,
      boxHasKeys: () => this.#tui.getFocusedComponent() === this.#editor,
      guessedPaste: () => this.#terminal.guessedPaste,
      clearHint: () => this.#activity.clearHint(),
      refresh: () => this.refresh(),
      repaint: () => this.repaint(),
      showKeys: () => this.#showKeys(),
      suspend: () => this.#suspend(),
    });
    this.#tui.addInputListener((data) => this.#keys.take(data));
    for (const part of [this.#transcript, this.#activity, this.#bottom]) this.#tui.addChild(part);
    this.#showInput();
  }

  get columns(): number {
    return this.#terminal.columns;
  }

  start(): void {
    this.#running = true;
    this.#keys.begin();
    this.#tui.start();
    this.#terminal.write(beginAttention);
    if (this.#options.onBackground !== undefined) void this.#askBackground();
    const { refreshSeconds } = this.#options;
    if (refreshSeconds > 0) this.#clock = setInterval(() => this.refresh(), refreshSeconds * 1000).unref();
  }

  async #askBackground(): Promise<void> {
    const color = await this.#tui.queryTerminalBackgroundColor({ timeoutMs: backgroundMs });
    if (color !== undefined && this.#running) this.#options.onBackground?.(color);
  }

  /** Gives the terminal to another program until `work` is done; what is printed meanwhile is shown then. */
  async lend<Result>(work: () => Promise<Result>): Promise<Result> {
    const wasRunning = this.#running;
    this.#running = false;
    this.#lent = true;
    this.#terminal.write(endAttention);
    this.#tui.stop();
    try {
      return await work();
    } finally {
      // Unless the program is being left.
      if (wasRunning && this.#lent) this.#takeBack();
    }
  }

  #takeBack(): void {
    this.#lent = false;
    this.#running = true;
    this.#tui.start();
    this.#terminal.write(beginAttention);
    this.repaint();
  }

  /** Leaves what was printed on the screen and gives the terminal back. Safe to call twice, and from an exit handler. */
  stop(): void {
    this.#lent = false;
    if (!this.#running) return;
    this.#running = false;
    clearInterval(this.#clock);
    this.#activity.set(undefined);
    this.#terminal.settle();
    this.#tui.clear();
    this.#tui.addChild(this.#transcript);
    // The library writes over the first character of the last line.
    this.gap();
    this.#tui.renderNow();
    this.#terminal.write(endAttention);
    this.#tui.stop();
  }

  /** The terminal is gone: stops without a word. */
  abandon(): void {
    this.#terminal.abandon();
    this.stop();
  }

  get inputText(): string {
    return this.#editor.getText();
  }

  /** What is being typed stays. */
  offerInput(text: string): void {
    if (this.inputText === '') this.#editor.setText(text);
    this.refresh();
  }

  clearInput(): void {
    this.#editor.setText('');
    this.refresh();
  }

  remember(text: string): void {
    this.#editor.addToHistory(text);
  }

  /** Draws everything anew, as after a change of colours. */
  invalidate(): void {
    this.#tui.invalidate();
    this.refresh();
  }

  refresh(): void {
    if (this.#running) this.#tui.requestRender();
  }

  repaint(): void {
    if (this.#running) this.#tui.requestRender(true);
  }

  clear(): void {
    this.#transcript.clear();
    this.#terminal.clearScreen();
    this.repaint();
  }

  /** Writes straight to the terminal: sequences that draw nothing (clipboard, bell). */
  writeSequence(sequence: string): void {
    if (this.#running) this.#terminal.write(sequence);
  }

  /** Adds finished text; colours in it are kept. */
  print(text: string): PlacedText {
    const component = new Text(text, 0, 0);
    return this.#add(unpadded(component), (next) => component.setText(next));
  }

  /** Adds a piece of Markdown that is rendered for the width of the terminal. */
  markdown({ text, continued }: Piece): PlacedText {
    const { colors } = this.#options;
    const markdown = new RichMarkdown(text, { colors, highlighter: this.#highlighter, continued });
    return this.#add(markdown, (next) => markdown.setText(next));
  }

  /** Adds an empty line, unless there is one already. */
  gap(): void {
    if (!(this.#transcript.children.at(-1) instanceof Spacer)) this.#add(new Spacer(1), () => undefined);
  }

  #add(component: Component, set: (text: string) => void): PlacedText {
    this.#transcript.addChild(component);
    if (this.#running) commitScrolledBlocks(this.#tui, this.#transcript, this.#options.redrawLines);
    this.refresh();
    return {
      set: (text) => {
        set(text);
        // Now and not with the next frame, so that whoever draws knows what it costs.
        component.render(this.columns);
        this.refresh();
      },
      remove: () => {
        this.#transcript.removeChild(component);
        this.refresh();
      },
      isOnScreen: () => this.#isOnScreen(component),
    };
  }

  #isOnScreen(component: Component): boolean {
    const at = this.#transcript.children.indexOf(component);
    const above = this.#transcript.children.slice(0, Math.max(0, at));
    const lines = above.reduce((sum, block) => sum + block.render(this.columns).length, 0);
    return at >= 0 && lines >= (this.#scrolledLines() ?? Infinity);
  }

  /** Shows what is going on, with a turning mark and the time since it began; `undefined` ends it. */
  setActivity(message: string | undefined): void {
    this.#activity.set(message);
  }

  /** A line above the input box that goes away by itself, after `ms` milliseconds or with the next key. */
  hint(text: string, ms: number): void {
    this.#activity.hint(text, ms);
  }

  /** Puts a question in place of the input box until `close` is called. */
  openPanel(component: Component, focus: Component): { close(): void } {
    this.#bottom.clear();
    this.#bottom.addChild(fitted(component));
    this.#activity.pause();
    this.#keys.panelOpens();
    this.#tui.setFocus(focus);
    this.refresh();
    return {
      close: () => {
        this.#activity.resume();
        this.#showInput();
        this.refresh();
      },
    };
  }

  #showInput(): void {
    this.#bottom.clear();
    this.#bottom.addChild(
      this.#lines((columns) => this.#options.above?.({ columns, rows: this.#terminal.rows }) ?? []),
    );
    this.#bottom.addChild(this.#editor);
    this.#bottom.addChild(
      this.#lines((width) => {
        const line = this.#options.statusBar(width);
        return line === '' ? [] : [line];
      }),
    );
    this.#tui.setFocus(this.#editor);
  }

  #lines(text: (width: number) => readonly string[]): Component {
    return fitted({ render: (width) => [...text(width)], invalidate: () => undefined });
  }

  /** The keys, until the next one is pressed. */
  #showKeys(): void {
    const help = new KeyHelp(this.#options.colors, (key) => {
      opened.close();
      if (key !== '') this.#editor.handleInput(key);
    });
    const opened = this.openPanel(help, help);
  }

  #scrolledLines(): number | undefined {
    const { previousWidth, previousHeight, previousViewportTop } = this.#tui.captureRenderState();
    const sameSize = previousWidth === this.#terminal.columns && previousHeight === this.#terminal.rows;
    return sameSize ? previousViewportTop : undefined;
  }

  /** Gives the terminal to the shell; `fg` brings the chat back. */
  #suspend(): void {
    if (process.platform === 'win32' || !this.#running) return;
    this.#terminal.write(endAttention);
    this.#tui.stop();
    this.#terminal.write('Suspended. Type `fg` to come back.\r\n');
    // The whole group stops, as with a Ctrl+Z that the terminal handles. Where nobody could continue it the system does
    // not stop it at all, so the timer and no signal brings the chat back.
    setTimeout(() => {
      if (!this.#running) return;
      this.#tui.start();
      this.#terminal.write(beginAttention);
      this.repaint();
    }, resumeAfterMs);
    process.kill(0, 'SIGTSTP');
  }
}
