/** `/platform`: how the platforms are, and whether one that does not come through is tried on. */
import { UserError } from '../../lib/errors.ts';
import type { ChatCommand } from './chat-command.ts';
import type { Gateway } from '../gateway.ts';

export const platform: ChatCommand = {
  name: 'platform',
  aliases: ['platforms'],
  category: 'Info',
  description: 'show the platforms; stop or go on trying to connect one',
  argumentHint: '[list | pause NAME | resume NAME]',
  atOnce: true,
  run({ gateway, print }, args) {
    const [verb = 'list', name = ''] = args.split(/\s+/).filter((word) => word !== '');
    if (verb === 'list') return print(listed(gateway));
    if (verb !== 'pause' && verb !== 'resume') {
      throw new UserError(`/platform does not know '${verb}': use list, pause NAME or resume NAME.`);
    }
    const connection = gateway.connection(name);
    if (connection === undefined) throw new UserError(`There is no platform '${name}' here.\n${listed(gateway)}`);
    const done = verb === 'pause' ? connection.pause() : connection.resume();
    if (done)
      return print(
        verb === 'pause' ? `${name} is not tried any more until /platform resume ${name}.` : `Trying ${name} again.`,
      );
    print(`${name} is ${connection.status.state}; there is nothing to ${verb}.`);
  },
};

function listed(gateway: Gateway): string {
  const lines = Object.entries(gateway.status.platforms).map(([name, { state, attempt, error }]) => {
    const shown = state === 'paused' ? 'PAUSED' : state === 'retrying' ? `retrying (attempt ${attempt})` : state;
    return `${name}: ${shown}${error === undefined ? '' : `, ${error.message}`}`;
  });
  return ['Platforms', ...lines].join('\n');
}
