/** `/fast`: the faster, dearer service tier. */
import { UserError } from '../../lib/errors.ts';
import type { SharedCommand } from '../command.ts';

export const fast: SharedCommand = {
  name: 'fast',
  category: 'Configuration',
  description: 'ask for the faster, dearer service tier',
  argumentHint: '[on|off|status] [--global]',
  values: ['on', 'off', 'status', 'fast', 'normal', '--global'],
  surface: 'both',
  whileBusy: true,
  async run({ session, settings, ui }, args) {
    const { agent } = session;
    const words = args.toLowerCase().split(/\s+/);
    const forGood = words.includes('--global');
    const word = words.filter((each) => each !== '--global').join(' ');
    if (word === 'on' || word === 'fast') agent.settings.priority = true;
    else if (word === 'off' || word === 'normal') agent.settings.priority = false;
    else if (word !== '' && word !== 'status') throw new UserError(`'${args}' is not one of: on, off, status`);
    if (forGood) {
      await settings.save([{ path: ['agent', 'service_tier'], value: agent.settings.priority ? 'fast' : 'normal' }]);
    }
    ui.print(
      `Fast mode is ${agent.settings.priority ? 'on: providers that have a priority tier are asked for it' : 'off'}.`,
    );
  },
};
