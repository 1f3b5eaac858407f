/** `/compress`: shortens the history now. */
import { UserError } from '../../lib/errors.ts';
import type { CompressRequest } from '../../agent/context/engine.ts';
import { compactionLine } from '../../agent/context/compaction-line.ts';
import type { SharedCommand } from '../command.ts';

export const compress: SharedCommand = {
  name: 'compress',
  aliases: ['compact'],
  category: 'Session',
  description: 'summarise older messages to free context',
  argumentHint: '[here [N] | topic | --preview]',
  values: ['here', '--preview'],
  surface: 'both',
  whileBusy: false,
  async run({ worker, ui }, args) {
    const fit = await worker.compress(requestOf(args));
    for (const notice of fit.notices) ui.print(notice);
    if (fit.compaction !== undefined) ui.print(compactionLine(fit.compaction));
  },
};

/** `here` keeps the newest two exchanges, `here 4` the newest four; anything else is the topic to give priority to. */
function requestOf(args: string): CompressRequest {
  const words = args.split(/\s+/).filter((word) => word !== '');
  const isPreview = (word: string): boolean => ['--preview', '--dry-run'].includes(word.toLowerCase());
  const rest = words.filter((word) => !isPreview(word));
  // A topic may well speak of a flag.
  const flag = rest.find((word, at) => word === '--aggressive' || (at === 0 && word.startsWith('--')));
  if (flag !== undefined) {
    throw new UserError(`/compress does not take ${flag}; nothing was compressed.`, {
      hint: 'Use /compress [here [N] | topic] [--preview]; /undo drops messages without a summary.',
    });
  }
  return { ...wantedOf(rest.join(' ')), ...(words.some(isPreview) ? { preview: true } : {}) };
}

function wantedOf(args: string): CompressRequest {
  const here = /^here(?:\s+(\S+))?$/i.exec(args);
  if (here === null) return args === '' ? {} : { focus: args };
  const kept = Number(here[1] ?? 2);
  if (Number.isInteger(kept) && kept >= 0 && kept <= 1000) return { keepExchanges: kept };
  throw new UserError(`'${here[1]}' is not a number of exchanges.`, { hint: 'Use /compress here 4' });
}
