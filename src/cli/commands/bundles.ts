/** `hermes bundles`: groups of skills that one command loads. */
import { Command } from 'commander';
import { bundlesFolder } from '../../config/skill-settings.ts';
import { UserError } from '../../lib/errors.ts';
import { createBundle, deleteBundle, readBundles } from '../../skills/bundles.ts';
import { bundleLines, describeBundle } from '../../commands/skills/bundle-lines.ts';
import type { CliContext } from '../command.ts';

export function build({ io, home, env }: CliContext): Command {
  const folder = bundlesFolder(home.path, env);
  const print = (line: string): boolean => io.stdout.write(`${line}\n`);
  const list = async (): Promise<void> => {
    for (const line of bundleLines(await readBundles(folder))) print(line);
  };
  const command = new Command('bundles').description('Groups of skills that one command loads.');
  command.command('list', { isDefault: true }).description('all bundles').action(list);
  command
    .command('show')
    .description('one bundle')
    .argument('<name>')
    .action(async (name: string) => {
      for (const line of describeBundle(await readBundles(folder), name)) print(line);
    });
  command
    .command('create')
    .description('make a bundle')
    .argument('<name>')
    .option('-s, --skill <name>', 'a skill in it; may be repeated', (name: string, all: string[]) => [...all, name], [])
    .option('-d, --description <text>', 'what it is for')
    .option('-i, --instruction <text>', 'put before the skills')
    .option('-f, --force', 'replace one of that name')
    .action(
      async (
        name: string,
        options: { skill: string[]; description?: string; instruction?: string; force?: boolean },
      ) => {
        const { skill: skills, ...more } = options;
        const bundle = await createBundle(folder, { name, skills, ...more });
        print(`/${bundle.slug} loads ${bundle.skills.join(', ')} (${bundle.file}).`);
      },
    );
  command
    .command('delete')
    .description('remove a bundle; its skills stay')
    .argument('<name>')
    .action(async (name: string) => {
      if (!(await deleteBundle(folder, name))) {
        throw new UserError(`There is no bundle '${name}'.`, { hint: 'See them with: hermes bundles list' });
      }
      print(`Removed /${name}.`);
    });
  command.command('reload').description('read the files again and show what is in them').action(list);
  return command;
}
