/** What a person can run here themselves: `!command`, and commands of their own from config.yaml. */
import { slashCommands } from '../../commands/catalogue.ts';
import { isBuiltIn } from '../../commands/resolve.ts';
import { type OwnRun, OwnRuns } from '../../runtime/own-runs.ts';
import { secretMask } from '../../runtime/secret-mask.ts';
import type { ChatOptions } from './chat-options.ts';
import { OwnCommands } from './own-commands.ts';
import { QuickCommands } from '../../commands/quick-commands.ts';

export function openOwnCommands(
  { program, about }: Pick<ChatOptions, 'program' | 'about'>,
  sessionId: () => string,
): {
  readonly own: OwnCommands;
  readonly quick: QuickCommands;
} {
  const { config, env } = program.options;
  const runs = new OwnRuns(program, sessionId);
  const place = {
    env,
    cwd: about.paths?.cwd ?? about.cwd,
    mask: secretMask(program.options),
    record: (run: OwnRun) => runs.begin(run),
  };
  const quick = new QuickCommands({
    ...place,
    commands: config.raw['quick_commands'],
    isBuiltIn: (word) => isBuiltIn(word, slashCommands),
  });
  for (const name of quick.hidden) {
    program.log.warning(`quick_commands.${name} has no effect: /${name} is a command of the program`);
  }
  return { own: new OwnCommands(place), quick };
}
