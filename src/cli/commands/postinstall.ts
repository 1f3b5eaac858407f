/** `hermes postinstall`: after an installation, which helper programs are missing, and the setup when there was none. */
import { Command } from 'commander';
import type { CliContext } from '../command.ts';

export function build(context: CliContext): Command {
  return new Command('postinstall')
    .description('Looks for the programs that tools need, and asks for a model when none is set up.')
    .action(async () => {
      const { io } = context;
      const { programs } = await import('../doctor/programs.ts');
      const loaded = await context.config();
      for (const { status, text, remedy } of await programs.run({ cli: context, loaded, fix: false })) {
        const sign = status === 'ok' ? '✓' : '⚠';
        io.stdout.write(`${sign} ${text}${remedy === undefined ? '' : `: ${remedy}`}\n`);
      }
      const { model } = loaded.config;
      if ((model.default ?? '') !== '' || (model.provider ?? '') !== '') {
        io.stdout.write('A model is set up. Start with: hermes\n');
      } else if (io.stdin.isTTY && io.stdout.isTTY) {
        const { chooseModel } = await import('../model/wizard.ts');
        await chooseModel(context, 'hermes setup', { onlyMissing: true });
      } else io.stdout.write('No model is set up yet. Next: hermes setup\n');
    });
}
