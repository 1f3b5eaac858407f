/** The box that messages are typed into, with its prompt symbol. */
import { Editor, type TUI, visibleWidth } from '@earendil-works/pi-tui';
import type { Colors } from '../render/colors.ts';
import { editorTheme } from './theme.ts';

export class PromptBox extends Editor {
  readonly #prompt: string;
  readonly #paint: (text: string) => string;

  /** `prompt` stands in front of the first line, such as `❯ `. */
  constructor(tui: TUI, prompt: string, colors: Colors) {
    super(tui, editorTheme(colors), { paddingX: visibleWidth(prompt) });
    this.#prompt = prompt;
    this.#paint = (text) => colors.bold(colors.cyan(text));
  }

  override render(width: number): string[] {
    const lines = super.render(width);
    const first = lines[1];
    const room = ' '.repeat(visibleWidth(this.#prompt));
    // A terminal too narrow for the prompt gets none.
    if (first?.startsWith(room) === true) lines[1] = this.#paint(this.#prompt) + first.slice(room.length);
    return lines;
  }
}
