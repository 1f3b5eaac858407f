/** `hermes moa`: mixtures of models, some of which give their view before one answers. */
import { Command } from 'commander';
import type { CliContext } from '../command.ts';
import type { GivenModels } from '../moa/configure.ts';

export function build(context: CliContext): Command {
  const command = new Command('moa').description(
    'Mixtures of models: each is a model of the provider moa (hermes model, /model, /moa).',
  );
  command
    .command('list', { isDefault: true })
    .alias('ls')
    .description('all mixtures')
    .action(async () => {
      const { mixtureLines } = await import('../moa/presets.ts');
      const { moa } = (await context.config()).config;
      for (const line of mixtureLines(moa)) context.io.stdout.write(`${line}\n`);
    });
  command
    .command('configure')
    .alias('config')
    .description('make a mixture, or choose its models anew')
    .argument('[name]', 'default: the one that is used where none is named')
    .option(
      '--reference <provider:model>',
      'a model that is asked for its view, instead of the questions; may be repeated',
      (model: string, all: string[]) => [...all, model],
      [],
    )
    .option('--aggregator <provider:model>', 'the model that answers, instead of the question')
    .action(async (name: string | undefined, options: GivenModels) => {
      const { configureMixture } = await import('../moa/configure.ts');
      await configureMixture(context, name, options);
    });
  command
    .command('delete')
    .alias('rm')
    .description('remove a mixture')
    .argument('<name>')
    .action(async (name: string) => {
      const { deleteMixture } = await import('../moa/presets.ts');
      context.io.stdout.write(`${await deleteMixture(context, name)}\n`);
    });
  return command;
}
