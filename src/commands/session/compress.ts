/** `/compress`: shortens the history now. */
import { UserError } from '../../lib/errors.ts';
import { compactionLine } from '../../agent/context/compaction-line.ts';
import type { SlashCommand } from '../command.ts';

export const compress: SlashCommand = {
  name: 'compress',
  aliases: ['compact'],
  category: 'Session',
  description: 'summarise older messages to free context',
  argumentHint: '[here [N] | topic]',
  surface: 'both',
  whileBusy: false,
  async run({ session, print }, args) {
    const fit = await session.agent.compress(wishOf(args));
    for (const notice of fit.notices) print(notice);
    if (fit.compaction !== undefined) print(compactionLine(fit.compaction));
  },
};

/** `here` keeps the newest two exchanges, `here 4` the newest four; anything else is the topic to give priority to. */
function wishOf(args: string): { focus?: string; keepExchanges?: number } {
  const here = /^here(?:\s+(\S+))?$/i.exec(args);
  if (here === null) return args === '' ? {} : { focus: args };
  const kept = Number(here[1] ?? 2);
  if (Number.isInteger(kept) && kept >= 0 && kept <= 1000) return { keepExchanges: kept };
  throw new UserError(`'${here[1]}' is not a number of exchanges.`, { hint: 'Use /compress here 4' });
}
