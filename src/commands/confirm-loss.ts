/** The question before a command takes something of the conversation away. */
import type { CommandUi } from './command.ts';

/** False when the answer was no, which is then said. */
export async function mayLose(ui: CommandUi, command: string, question: string): Promise<boolean> {
  if (await ui.confirm(question)) return true;
  ui.print(`🟡 /${command} cancelled. Conversation unchanged.`);
  return false;
}
