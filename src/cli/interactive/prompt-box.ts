/** The box that messages are typed into, with its prompt symbol. */
import { Editor, matchesKey, truncateToWidth, type TUI, visibleWidth } from '@earendil-works/pi-tui';
import type { Colors } from '../render/colors.ts';
import { terminalText } from '../render/terminal-text.ts';
import { editorTheme } from './theme.ts';

/** How the editor draws the cursor behind the last letter. */
const endCursor = '\u001b[7m \u001b[0m';

/** No line of a terminal has more room. */
const maxShownChars = 1000;

export class PromptBox extends Editor {
  readonly #prompt: () => string;
  /** A row of the list was gone to. */
  #chose = false;
  readonly #paint: (text: string) => string;
  readonly #dim: (text: string) => string;
  /** What was typed before, oldest first. */
  readonly #entries: string[] = [];

  /** `prompt` stands in front of the first line, such as `❯ `; asked each time it is drawn. */
  constructor(tui: TUI, prompt: () => string, colors: Colors) {
    super(tui, editorTheme(colors), {
      paddingX: visibleWidth(prompt()),
      autocompleteMaxVisible: 8,
    });
    this.#prompt = prompt;
    this.#paint = (text) => colors.bold(colors.cyan(text));
    this.#dim = (text) => colors.dim(text);
  }

  override addToHistory(text: string): void {
    super.addToHistory(text);
    this.#entries.push(text);
  }

  /** Enter sends a command as it was typed, also where its name is only begun, unless a row of the list was chosen. */
  override handleInput(data: string): void {
    const moved = matchesKey(data, 'up') || matchesKey(data, 'down');
    const offered = this.isShowingAutocomplete();
    if (offered && matchesKey(data, 'enter') && !this.#chose && /^\/[^\s/]*\s*$/.test(this.getText())) {
      super.handleInput('\u001b');
    }
    this.#chose = offered && moved;
    const rest = matchesKey(data, 'tab') || matchesKey(data, 'right') ? this.#foreseen() : '';
    if (rest !== '') return this.insertTextAtCursor(rest);
    super.handleInput(data);
  }

  override render(width: number): string[] {
    const prompt = this.#prompt();
    this.setPaddingX(visibleWidth(prompt));
    const lines = super.render(width);
    const first = lines[1];
    const room = ' '.repeat(visibleWidth(prompt));
    // A terminal too narrow for the prompt gets none.
    if (first?.startsWith(room) === true) {
      lines[1] = this.#paint(prompt) + this.#withForeseen(first.slice(room.length), room.length);
    }
    return lines;
  }

  /** The rest of the newest line that began like this one; empty when there is none, or something else is offered. */
  #foreseen(): string {
    // Without colours it would look like text that was typed.
    if (this.#dim('x') === 'x') return '';
    const text = this.getText();
    const { col } = this.getCursor();
    if (text.trim() === '' || /[\n]|^[/!]/.test(text) || col < text.length || this.isShowingAutocomplete()) return '';
    const like = this.#entries.findLast((entry) => entry.startsWith(text) && entry !== text && !entry.includes('\n'));
    return like === undefined ? '' : like.slice(text.length);
  }

  /** Shown behind the cursor, as far as there is room. */
  #withForeseen(line: string, padding: number): string {
    const foreseen = this.#foreseen();
    const at = line.lastIndexOf(endCursor);
    const spaces = at === -1 ? '' : line.slice(at + endCursor.length);
    const room = spaces.length + 1 - padding;
    if (foreseen === '' || room < 2 || spaces.trim() !== '') return line;
    const shown = truncateToWidth(terminalText(foreseen.slice(0, maxShownChars)).replace(/\s+/g, ' '), room, '…');
    const [under = ' ', ...behind] = Array.from(shown);
    const left = ' '.repeat(Math.max(0, spaces.length + 1 - visibleWidth(shown)));
    return `${line.slice(0, at)}${endCursor.replace(' ', under)}${this.#dim(behind.join(''))}${left}`;
  }
}
