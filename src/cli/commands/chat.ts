/** `hermes chat`: talk to the agent, interactively or with one question. */
import { Command } from 'commander';
import { addChatOptions } from '../chat/options.ts';
import { startChat } from '../chat/start.ts';
import type { CliContext } from '../command.ts';

export function build(context: CliContext): Command {
  const command = new Command('chat').description(
    'Talk to the agent. Without -q it starts an interactive conversation.',
  );
  return addChatOptions(command).action(async () => {
    context.exitCode = await startChat(context, { ...command.parent?.opts(), ...given(command) });
  });
}

/** What was said behind `chat`, which is nearer than what stands before it; defaults say nothing. */
function given(command: Command): Record<string, unknown> {
  const said = Object.entries(command.opts()).filter(([name]) => command.getOptionValueSource(name) !== 'default');
  return Object.fromEntries(said);
}
