/** Shows what came of a background task. */
import { escapeForDisplay } from '../../safety/display.ts';
import type { ChatScreen } from '../interactive/chat-screen.ts';
import type { Colors } from '../render/colors.ts';
import { stripMarkdown } from '../render/strip-markdown.ts';
import { terminalText } from '../render/terminal-text.ts';
import type { KeptTask } from './kept-tasks.ts';

export interface TaskPanelOptions {
  readonly screen: Pick<ChatScreen, 'print' | 'markdown' | 'gap' | 'plain'>;
  readonly colors: Colors;
  /** `display.final_response_markdown` */
  readonly markdown: 'render' | 'strip' | 'raw';
}

const shownPrompt = 60;

/** One that failed or was stopped is told in red; one whose process died, with where to go on. */
export function showTask(
  { id, number, prompt, end }: Omit<KeptTask, 'owner'>,
  { screen, colors, markdown }: TaskPanelOptions,
): void {
  const cut = prompt.length > shownPrompt ? `${prompt.slice(0, shownPrompt).toWellFormed()}...` : prompt;
  const asked = colors.dim(`  "${escapeForDisplay(cut, { singleLine: true })}" (${id})`);
  screen.gap();
  if (end === undefined) {
    screen.print(colors.red(`❌ Background task #${number} was cut off when its terminal ended.`));
    screen.print(asked);
    screen.print(colors.dim(`  What it did until then: hermes --resume ${id}`));
    return;
  }
  if (!end.completed) {
    const [first = '', ...rest] = terminalText(end.text).split('\n');
    screen.print(colors.red(`❌ Background task #${number} failed: ${first}`));
    screen.print(asked);
    if (rest.join('').trim() !== '') screen.print(rest.join('\n').trim());
    return;
  }
  screen.print(colors.bold(`⚕ Hermes (background #${number})`));
  screen.print(asked);
  screen.gap();
  const text = terminalText(end.text);
  if (markdown === 'render' && !screen.plain) screen.markdown({ text, continued: false });
  else screen.print(markdown === 'raw' ? text : stripMarkdown(text));
}
