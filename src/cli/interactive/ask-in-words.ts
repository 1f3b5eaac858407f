/** A question of the agent at the terminal: choices with their numbers, or words of one's own. */
import type { Colors } from '../render/colors.ts';
import { terminalText } from '../render/terminal-text.ts';
import type { ChatScreen } from './chat-screen.ts';

interface Place {
  readonly screen: Pick<ChatScreen, 'ask' | 'columns'>;
  readonly colors: Colors;
  readonly clarifySeconds: number;
}

/** What stands beside a choice in its row. */
const rowMargin = 8;

/** What was chosen or typed; undefined when the question was closed, or `limit` aborted. */
export async function askInWords(
  { screen, colors, clarifySeconds }: Place,
  { question, choices }: { readonly question: string; readonly choices: readonly string[] },
  limit: AbortSignal,
): Promise<string | undefined> {
  const labels = choices.map((choice) => terminalText(choice));
  // A row of the list is cut where the screen ends.
  const isLong = labels.some((label) => label.length > screen.columns - rowMargin);
  const lines = [
    colors.bold(`? ${terminalText(question)}`),
    ...(isLong ? labels.map((label, index) => `  ${index + 1} ${label}`) : []),
    colors.dim(`  No answer within ${clarifySeconds} s lets the agent decide.`),
  ];
  if (choices.length === 0) return await screen.ask.text(lines, { hidden: false }, limit);
  const offered = [
    ...labels.map((label, index) => ({ value: String(index), label })),
    { value: 'other', label: 'Other', description: 'type an answer' },
  ];
  for (;;) {
    const picked = await screen.ask.choose({ lines, choices: offered, preselected: 0 }, limit);
    if (picked !== 'other') return picked === undefined ? undefined : choices[Number(picked)];
    const typed = await screen.ask.text(lines, { hidden: false }, limit);
    // Whoever thinks better of typing has the choices again.
    if (limit.aborted || (typed !== undefined && typed.trim() !== '')) return typed;
  }
}
