/** `hermes completion`: a script that lets a shell complete commands, flags and profiles. */
import { Argument, Command } from 'commander';
import { completionScript, SHELLS, type Shell } from '../completion/scripts.ts';
import type { CliContext } from '../command.ts';

export function build(context: CliContext): Command {
  return new Command('completion')
    .description('Prints a script that lets your shell complete commands, flags and profiles.')
    .addArgument(new Argument('[shell]', 'the shell').choices(SHELLS).default('bash'))
    .action(async (shell: Shell) => {
      const { completionWords } = await import('../completion/tree.ts');
      const { addChatOptions } = await import('../chat/options.ts');
      const flags = addChatOptions(new Command()).options.flatMap(({ short, long }) =>
        [short ?? [], long ?? []].flat(),
      );
      context.io.stdout.write(completionScript(shell, await completionWords(context, flags)));
    });
}
