/** `hermes plugins`: which plug-ins there are, and which of them are loaded. */
import { Command } from 'commander';
import type { CliContext } from '../command.ts';
import type { EnableOptions } from '../plugins/switch-plugin.ts';
import type { UpdateOptions } from '../plugins/update-package.ts';
import type { InstallOptions } from '../plugins/welcome-plugin.ts';
import type { ListOptions } from '../plugins/list-plugins.ts';

export function build(context: CliContext): Command {
  const command = new Command('plugins')
    .description('Code of others that adds tools and hooks. Alone, it lets you choose which are loaded.')
    .action(async () => (await import('../plugins/plugins-page.ts')).pluginsPage(context));
  command
    .command('list')
    .alias('ls')
    .description('show them, and which are enabled')
    .option('--enabled', 'only those that are enabled')
    .option('--user', 'only those of the home')
    .option('--no-bundled', 'for scripts of the original: none comes along')
    .option('--plain', 'one line each, without a heading')
    .option('--json', 'as JSON')
    .action(async (options: ListOptions) => (await import('../plugins/list-plugins.ts')).listPlugins(context, options));
  command
    .command('install')
    .description('bring one from a git repository or from npm; it stays off until you enable it')
    .argument(
      '<identifier>',
      'owner/repo, owner/repo/folder, an address of a repository (#folder), or npm:PACKAGE[@VERSION]',
    )
    .option('-f, --force', 'in the place of one that is there, and whatever was found in it')
    .option('--enable', 'enable it as well')
    .option('--no-enable', 'do not ask whether to enable it')
    .action(async (identifier: string, options: InstallOptions) =>
      (await import('../plugins/install-plugin.ts')).installPlugin(context, identifier, options),
    );
  command
    .command('update')
    .description('bring what is new in its repository, or on npm')
    .argument('<name>')
    .option('-f, --force', 'whatever was found in what is new')
    .action(async (name: string, options: UpdateOptions) =>
      (await import('../plugins/update-plugin.ts')).updatePlugin(context, name, options),
    );
  command
    .command('enable')
    .description('load it from the next start on')
    .argument('<name>')
    .option('--allow-tool-override', 'it may replace tools that are there without it')
    .option('--no-allow-tool-override', 'it may not (the default)')
    .action(async (name: string, options: EnableOptions) =>
      (await import('../plugins/switch-plugin.ts')).enablePlugin(context, name, options),
    );
  command
    .command('disable')
    .description('do not load it any more')
    .argument('<name>')
    .action(async (name: string) => (await import('../plugins/switch-plugin.ts')).disablePlugin(context, name));
  command
    .command('remove')
    .aliases(['rm', 'uninstall'])
    .description('delete its folder')
    .argument('<name>')
    .action(async (name: string) => (await import('../plugins/remove-plugin.ts')).removePlugin(context, name));
  return command;
}
