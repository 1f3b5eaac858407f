/** `/fast`: the faster, dearer service tier. */
import { UserError } from '../../lib/errors.ts';
import type { SlashCommand } from '../command.ts';

export const fast: SlashCommand = {
  name: 'fast',
  category: 'Configuration',
  description: 'ask for the faster, dearer service tier',
  argumentHint: '[on|off|status]',
  values: ['on', 'off', 'status'],
  surface: 'both',
  whileBusy: true,
  run({ session, print }, args) {
    const { agent } = session;
    const word = args.toLowerCase();
    if (word === 'on' || word === 'fast') agent.priority = true;
    else if (word === 'off' || word === 'normal') agent.priority = false;
    else if (word === '') agent.priority = !agent.priority;
    else if (word !== 'status') throw new UserError(`'${args}' is not one of: on, off, status`);
    print(`Fast mode is ${agent.priority ? 'on: providers that have a priority tier are asked for it' : 'off'}.`);
  },
};
