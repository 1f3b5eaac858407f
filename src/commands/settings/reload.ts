/** `/reload`: keys and switches that were written to `.env` meanwhile. */
import { errorMessage } from '../../lib/errors.ts';
import type { TerminalCommand } from '../command.ts';

const shownNames = 10;

export const reload: TerminalCommand = {
  name: 'reload',
  category: 'Tools & Skills',
  description: 'read .env again, for new keys',
  surface: 'cli',
  whileBusy: false,
  async run({ settings, session, ui }) {
    const changed = settings.reloadVariables();
    const names = changed.slice(0, shownNames).join(', ');
    const more = changed.length > shownNames ? ` and ${changed.length - shownNames} more` : '';
    const which = changed.length === 0 ? '' : `: ${names}${more}`;
    ui.print(`Reloaded .env (${changed.length} var(s) updated)${which}`);
    if (changed.length === 0) return;
    try {
      await session.model.renew();
    } catch (error) {
      ui.print(`The model goes on with what it had: ${errorMessage(error)}`);
    }
  },
};
