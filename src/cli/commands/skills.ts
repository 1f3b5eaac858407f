/** `hermes skills`: finds, installs and looks after skills. */
import type { Command } from 'commander';
import { buildSkillsCommand } from '../../commands/skills/command-tree.ts';
import type { CliContext } from '../command.ts';
import { openDesk } from '../skills/open-desk.ts';

export function build(context: CliContext): Command {
  return buildSkillsCommand(openDesk(context), () => {
    context.exitCode = 1;
  });
}
