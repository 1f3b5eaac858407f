/** `/sessions`: what can be resumed. */
import { UserError } from '../../lib/errors.ts';
import type { SharedCommand } from '../command.ts';
import { chooseSession, resumeNamed } from './resume.ts';

export const sessions: SharedCommand = {
  name: 'sessions',
  category: 'Session',
  description: 'list stored conversations, to go on with one',
  argumentHint: '[number|title|id]',
  surface: 'both',
  whileBusy: true,
  async run(context, args) {
    if (['', 'list', 'ls', 'browse'].includes(args.toLowerCase())) return await chooseSession(context);
    if (context.worker.busy) throw new UserError('Another conversation can be opened once the turn is done.');
    await resumeNamed(context, args);
  },
};
