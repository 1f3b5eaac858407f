/** `hermes profile`: homes beside the default one, each with its own settings, keys, memory and conversations. */
import { Command } from 'commander';
import type { CliContext } from '../command.ts';
import type { AliasOptions, DescribeOptions } from '../profile/change.ts';
import type { CreateOptions } from '../profile/create.ts';
import type { InstallOptions, UpdateOptions } from '../profile/distribution.ts';

export function build(context: CliContext): Command {
  const command = new Command('profile')
    .description('Shows and changes profiles: separate homes with their own settings, keys, memory and conversations.')
    .action(async () => (await import('../profile/show.ts')).showActive(context));
  command
    .command('list')
    .description('show all profiles')
    .action(async () => (await import('../profile/show.ts')).listAll(context));
  command
    .command('use')
    .description('use a profile from now on when none is named; `default` goes back')
    .argument('<name>')
    .action(async (name: string) => (await import('../profile/change.ts')).useProfile(context, name));
  command
    .command('create')
    .description('make a profile')
    .argument('<name>')
    .option('--clone', 'with the settings, keys, skills and memory of the profile in use')
    .option('--clone-all', 'with all of it but the conversations')
    .option('--clone-from <profile>', 'copy from this one instead')
    .option('--no-alias', 'write no command of its name to ~/.local/bin')
    .option('--no-skills', 'keep the bundled skills away from it')
    .option('--description <text>', 'what it is for')
    .action(async (name: string, options: CreateOptions) =>
      (await import('../profile/create.ts')).createProfile(context, name, options),
    );
  command
    .command('delete')
    .description('delete a profile with all that is in it')
    .argument('<name>')
    .option('-y, --yes', 'do not ask')
    .action(async (name: string, options: { yes?: true }) =>
      (await import('../profile/change.ts')).deleteProfile(context, name, options),
    );
  command
    .command('describe')
    .description('show or set what a profile is for')
    .argument('[name]')
    .option('--text <text>', 'set it')
    .option('--all', 'those of all profiles')
    .option('--auto', 'let the model write it, where there is none or a model wrote it')
    .option('--overwrite', 'with --auto: also replace what a person wrote')
    .action(async (name: string | undefined, options: DescribeOptions) =>
      (await import('../profile/change.ts')).describeProfile(context, name, options),
    );
  command
    .command('show')
    .description('show one profile')
    .argument('<name>')
    .action(async (name: string) => (await import('../profile/show.ts')).showProfile(context, name));
  command
    .command('alias')
    .description('write or remove the command that starts a profile')
    .argument('<name>')
    .option('--name <alias>', 'the name of the command (default: that of the profile)')
    .option('--remove', 'remove it')
    .action(async (name: string, options: AliasOptions) =>
      (await import('../profile/change.ts')).changeAlias(context, name, options),
    );
  command
    .command('rename')
    .description('give a profile another name')
    .argument('<old>')
    .argument('<new>')
    .action(async (old: string, wanted: string) =>
      (await import('../profile/change.ts')).renameProfile(context, old, wanted),
    );
  addArchives(command, context);
  addDistributions(command, context);
  return command;
}

function addArchives(command: Command, context: CliContext): void {
  command
    .command('export')
    .description('write a profile to a .tar.gz file, without its keys')
    .argument('<name>')
    .argument('[file]', 'default: NAME.tar.gz here')
    .option('-o, --output <file>', 'the same as the argument')
    .action(async (name: string, file: string | undefined, options: { output?: string }) =>
      (await import('../profile/archive.ts')).exportProfile(context, name, options.output ?? file),
    );
  command
    .command('import')
    .description('make a profile from such a file')
    .argument('<archive>')
    .argument('[name]', 'default: the name in the archive')
    .option('--name <name>', 'the same as the argument')
    .action(async (archive: string, name: string | undefined, options: { name?: string }) =>
      (await import('../profile/archive.ts')).importProfile(context, archive, options.name ?? name),
    );
}

function addDistributions(command: Command, context: CliContext): void {
  command
    .command('install')
    .description('make a profile from a distribution: a git repository or a folder with a distribution.yaml')
    .argument('<source>')
    .option('--name <name>', 'default: the name in its manifest')
    .option('--alias', 'write a command of its name to ~/.local/bin')
    .option('--force', 'install over a profile of that name; its own data stays')
    .option('-y, --yes', 'do not ask')
    .action(async (source: string, options: InstallOptions) =>
      (await import('../profile/distribution.ts')).installDistribution(context, source, options),
    );
  command
    .command('update')
    .description('fetch the distribution of a profile again; its own data stays')
    .argument('<name>')
    .option('--force-config', 'replace config.yaml too')
    .option('-y, --yes', 'do not ask')
    .action(async (name: string, options: UpdateOptions) =>
      (await import('../profile/distribution.ts')).updateDistribution(context, name, options),
    );
  command
    .command('info')
    .description('show where a profile came from')
    .argument('<name>')
    .action(async (name: string) => (await import('../profile/distribution.ts')).showManifest(context, name));
}
