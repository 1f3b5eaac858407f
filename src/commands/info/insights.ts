/** `/insights`: what was used in the last days, over all sessions. */
import { UserError } from '../../lib/errors.ts';
import type { SharedCommand } from '../command.ts';
import { usageReportText } from './usage-report.ts';

const secondsPerDay = 86_400;

export const insights: SharedCommand = {
  name: 'insights',
  category: 'Info',
  description: 'show tokens, cost and tools of the last days',
  argumentHint: '[days]',
  values: ['1', '7', '30', '90', '365'],
  surface: 'both',
  whileBusy: true,
  async run({ store, ui }, args) {
    const days = args === '' ? 30 : Number(args);
    if (!Number.isInteger(days) || days < 1 || days > 3650) {
      throw new UserError(`'${args}' is not a number of days from 1 to 3650.`);
    }
    if (store === undefined) return ui.print('Nothing is stored: the session database could not be opened.');
    const report = await store.usage.report({ since: Date.now() / 1000 - days * secondsPerDay });
    ui.print(usageReportText(report, days));
  },
};
