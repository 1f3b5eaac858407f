/** The box that messages are typed into, with its prompt symbol. */
import { Editor, matchesKey, type TUI, visibleWidth } from '@earendil-works/pi-tui';
import type { Colors } from '../render/colors.ts';
import { editorTheme } from './theme.ts';

export class PromptBox extends Editor {
  readonly #prompt: () => string;
  /** A row of the list was gone to. */
  #chose = false;
  readonly #paint: (text: string) => string;

  /** `prompt` stands in front of the first line, such as `❯ `; asked each time it is drawn. */
  constructor(tui: TUI, prompt: () => string, colors: Colors) {
    super(tui, editorTheme(colors), {
      paddingX: visibleWidth(prompt()),
      autocompleteMaxVisible: 8,
    });
    this.#prompt = prompt;
    this.#paint = (text) => colors.bold(colors.cyan(text));
  }

  /** Behind a command that has no argument yet, Enter sends the command, unless a row was chosen. */
  override handleInput(data: string): void {
    const moved = matchesKey(data, 'up') || matchesKey(data, 'down');
    const offered = this.isShowingAutocomplete();
    if (offered && matchesKey(data, 'enter') && !this.#chose && /^\/\S+\s+$/.test(this.getText())) {
      super.handleInput('\u001b');
    }
    this.#chose = offered && moved;
    super.handleInput(data);
  }

  override render(width: number): string[] {
    const prompt = this.#prompt();
    this.setPaddingX(visibleWidth(prompt));
    const lines = super.render(width);
    const first = lines[1];
    const room = ' '.repeat(visibleWidth(prompt));
    // A terminal too narrow for the prompt gets none.
    if (first?.startsWith(room) === true) lines[1] = this.#paint(prompt) + first.slice(room.length);
    return lines;
  }
}
