/** `hermes insights`: tokens, cost, tools and activity of the last days. */
import { Command, InvalidArgumentError } from 'commander';
import type { CliContext } from '../command.ts';

const secondsPerDay = 86_400;

export function build(context: CliContext): Command {
  return new Command('insights')
    .description('Shows tokens, cost, tools and activity of the last days.')
    .option('--days <count>', 'how far back', dayCount, 30)
    .option('--source <source>', 'only sessions from one surface (cli, telegram, …)')
    .action(async ({ days, source }: { days: number; source?: string }) => {
      const { withStore } = await import('../sessions/with-store.ts');
      const since = Date.now() / 1000 - days * secondsPerDay;
      const report = await withStore(context, (store) =>
        store.usage.report({ since, ...(source === undefined ? {} : { source }) }),
      );
      const { usageReportText } = await import('../../commands/info/usage-report.ts');
      const text = report === undefined ? 'No sessions found.' : usageReportText(report, days);
      context.io.stdout.write(`${text}\n`);
    });
}

function dayCount(value: string): number {
  const days = Number(value);
  if (Number.isInteger(days) && days >= 1 && days <= 3650) return days;
  throw new InvalidArgumentError('It must be a number of days from 1 to 3650.');
}
