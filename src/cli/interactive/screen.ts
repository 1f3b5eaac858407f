/** The terminal as the chat uses it: the conversation above, a question or spinner, the input box, the status bar. */
import {
  CombinedAutocompleteProvider,
  type Component,
  Container,
  Editor,
  Markdown,
  matchesKey,
  ProcessTerminal,
  Text,
  TuiMainScreen,
  truncateToWidth,
} from '@earendil-works/pi-tui';
import type { SlashCommand } from '../../commands/command.ts';
import type { Colors } from '../render/colors.ts';
import { editorTheme, markdownTheme } from './theme.ts';

export interface ScreenHandlers {
  onSubmit(text: string): void;
  onCtrlC(): void;
  onCtrlD(): void;
}

export interface ScreenOptions {
  readonly colors: Colors;
  readonly cwd: string;
  readonly commands: readonly SlashCommand[];
  readonly history: readonly string[];
  /** The line under the input box; empty = none. */
  statusBar(width: number): string;
}

/** Text in the conversation that may still change. */
export interface LiveText {
  set(text: string): void;
  remove(): void;
}

/** Blocks of the conversation that are kept in memory; older ones stay in the terminal's scrollback. */
const maxBlocks = 400;
const spinnerFrames = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'];

export class Screen {
  readonly #tui: TuiMainScreen;
  readonly #terminal = new ProcessTerminal();
  readonly #transcript = new Container();
  readonly #panel = new Container();
  readonly #spinner = new Text('', 0, 0);
  readonly #editor: Editor;
  readonly #options: ScreenOptions;
  #spinnerTimer: NodeJS.Timeout | undefined;
  #clock: NodeJS.Timeout | undefined;

  constructor(options: ScreenOptions, handlers: ScreenHandlers) {
    this.#options = options;
    this.#tui = new TuiMainScreen(this.#terminal, true);
    this.#editor = new Editor(this.#tui, editorTheme(options.colors), { paddingX: 1 });
    this.#editor.setAutocompleteProvider(new CombinedAutocompleteProvider(completions(options.commands), options.cwd));
    for (const entry of options.history) this.#editor.addToHistory(entry);
    this.#editor.onSubmit = (text) => handlers.onSubmit(text);
    this.#tui.addInputListener((data) => this.#listen(data, handlers));
    for (const part of [this.#transcript, this.#panel, this.#spinner, this.#editor, this.#statusLine()]) {
      this.#tui.addChild(part);
    }
    this.#tui.setFocus(this.#editor);
  }

  start(): void {
    this.#tui.start();
    this.#clock = setInterval(() => this.#tui.requestRender(), 1000).unref();
  }

  /** Leaves what was printed on the screen and gives the terminal back. */
  stop(): void {
    this.setSpinner(undefined);
    clearInterval(this.#clock);
    this.#tui.removeChild(this.#editor);
    this.#panel.clear();
    this.#tui.renderNow();
    this.#tui.stop();
  }

  get inputText(): string {
    return this.#editor.getText();
  }

  clearInput(): void {
    this.#editor.setText('');
    this.refresh();
  }

  remember(text: string): void {
    this.#editor.addToHistory(text);
  }

  refresh(): void {
    this.#tui.requestRender();
  }

  repaint(): void {
    this.#tui.requestRender(true);
  }

  clear(): void {
    this.#transcript.clear();
    this.#terminal.clearScreen();
    this.repaint();
  }

  /** Writes straight to the terminal: sequences that draw nothing (clipboard, bell). */
  writeSequence(sequence: string): void {
    this.#terminal.write(sequence);
  }

  /** Adds finished text; colours in it are kept. */
  print(text: string): LiveText {
    const component = new Text(text, 0, 0);
    return this.#add(component, (next) => component.setText(next));
  }

  /** Adds Markdown that is rendered for the width of the terminal. */
  markdown(text: string): LiveText {
    const component = new Markdown(text, 1, 0, markdownTheme(this.#options.colors));
    return this.#add(component, (next) => component.setText(next));
  }

  #add(component: Component, set: (text: string) => void): LiveText {
    this.#transcript.addChild(component);
    this.refresh();
    return {
      set: (text) => {
        set(text);
        this.refresh();
      },
      remove: () => {
        this.#transcript.removeChild(component);
        this.refresh();
      },
    };
  }

  /** Forgets the oldest blocks of a very long conversation; called between turns, as it repaints the screen. */
  trim(): void {
    const surplus = this.#transcript.children.length - maxBlocks;
    if (surplus < maxBlocks / 2) return;
    for (const component of this.#transcript.children.slice(0, surplus)) this.#transcript.removeChild(component);
    this.repaint();
  }

  /** Shows what the agent is doing, with a turning mark and the time since; `undefined` removes it. */
  setSpinner(message: string | undefined): void {
    clearInterval(this.#spinnerTimer);
    if (message === undefined) {
      this.#spinner.setText('');
      this.refresh();
      return;
    }
    const started = Date.now();
    const draw = (): void => {
      const elapsed = Date.now() - started;
      const frame = spinnerFrames[Math.floor(elapsed / 100) % spinnerFrames.length] ?? '';
      this.#spinner.setText(this.#options.colors.dim(` ${frame} ${message} (${(elapsed / 1000).toFixed(1)}s)`));
      this.refresh();
    };
    draw();
    this.#spinnerTimer = setInterval(draw, 100).unref();
  }

  /** Puts a question in front of the input box until `close` is called. */
  openPanel(component: Component, focus: Component = component): { close(): void } {
    this.#panel.addChild(component);
    this.#tui.setFocus(focus);
    this.refresh();
    return {
      close: () => {
        this.#panel.removeChild(component);
        this.#tui.setFocus(this.#editor);
        this.refresh();
      },
    };
  }

  #statusLine(): Component {
    return {
      render: (width) => {
        const line = this.#options.statusBar(width);
        return line === '' ? [] : [truncateToWidth(line, width)];
      },
      invalidate: () => undefined,
    };
  }

  #listen(data: string, handlers: ScreenHandlers): { consume: boolean } | undefined {
    if (matchesKey(data, 'ctrl+c')) {
      handlers.onCtrlC();
      return { consume: true };
    }
    if (matchesKey(data, 'ctrl+d') && this.inputText === '') {
      handlers.onCtrlD();
      return { consume: true };
    }
    if (matchesKey(data, 'alt+enter')) {
      this.#editor.insertTextAtCursor('\n');
      this.refresh();
      return { consume: true };
    }
    if (matchesKey(data, 'ctrl+z')) {
      this.#suspend();
      return { consume: true };
    }
    return undefined;
  }

  /** Gives the terminal to the shell; `fg` brings the chat back. */
  #suspend(): void {
    if (process.platform === 'win32') return;
    this.#tui.stop({ preserveScreen: true });
    this.#terminal.write('\nSuspended. Type `fg` to come back.\n');
    process.once('SIGCONT', () => {
      this.#tui.start();
      this.repaint();
    });
    process.kill(process.pid, 'SIGTSTP');
  }
}

function completions(commands: readonly SlashCommand[]) {
  return commands.map((command) => ({
    name: command.name,
    description: command.description,
    ...(command.argumentHint === undefined ? {} : { argumentHint: command.argumentHint }),
    getArgumentCompletions: (prefix: string) =>
      (command.values ?? []).filter((value) => value.startsWith(prefix)).map((value) => ({ value, label: value })),
  }));
}
