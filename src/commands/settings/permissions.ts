/** `/permissions`: what was allowed for good, and taking it back. */
import { UserError } from '../../lib/errors.ts';
import type { TerminalCommand } from '../command.ts';
import { permissionLines, permissionWords, revoke } from './permission-list.ts';

export const permissions: TerminalCommand = {
  name: 'permissions',
  category: 'Configuration',
  description: 'what may run without a question, and taking it back',
  argumentHint: '[revoke N|all]',
  values: ['revoke all'],
  complete: async ({ settings }) => {
    const allowed = await settings?.allowed();
    const words = allowed === undefined ? [] : permissionWords(allowed);
    return words.map((description, at) => ({ value: `revoke ${at + 1}`, description }));
  },
  surface: 'cli',
  whileBusy: true,
  async run({ settings, ui }, args) {
    const allowed = await settings.allowed();
    const [verb = '', ...rest] = args.split(/\s+/);
    if (args === '') {
      ui.print(permissionLines(allowed, 'Take one back: /permissions revoke N').join('\n'));
      return;
    }
    if (verb !== 'revoke' || rest.length === 0) throw new UserError('Usage: /permissions [revoke N|all]');
    const { revoked, changes } = revoke(allowed, rest.join(' '));
    await settings.save(changes);
    ui.print(`Taken back: ${revoked.join(', ')}. It is asked about again from now on.`);
  },
};
