/** `hermes skills`: finds, installs and looks after skills. */
import type { Command } from 'commander';
import { buildSkillsCommand } from '../../commands/skills/command-tree.ts';
import type { CliContext } from '../command.ts';
import { openSkillsSurface } from '../skills/open-skills-surface.ts';

export function build(context: CliContext): Command {
  const command = buildSkillsCommand(openSkillsSurface(context), () => {
    context.exitCode = 1;
  });
  const choose = async (platform?: string): Promise<void> => {
    const { chooseSkills } = await import('../skills/toggle.ts');
    await chooseSkills(context, platform);
  };
  command
    .command('config')
    .description('choose which skills are offered')
    .option('--platform <name>', 'on this surface only (cli, telegram, …)')
    .action(async ({ platform }: { readonly platform?: string }) => await choose(platform));
  const { isTTY } = context.io.stdin;
  command.action(async () => (isTTY ? await choose() : command.help({ error: true })));
  return command;
}
