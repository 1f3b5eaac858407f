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
    if (word === 'on' || word === 'fast') {
      requireFastTier(agent.route.model);
      agent.settings.priority = true;
    } else if (word === 'off' || word === 'normal') agent.settings.priority = false;
    else if (word !== '' && word !== 'status') throw new UserError(`'${args}' is not one of: on, off, status`);
    if (forGood) {
      await settings.save([{ path: ['agent', 'service_tier'], value: agent.settings.priority ? 'fast' : 'normal' }]);
    }
    ui.print(
      `Fast mode is ${agent.settings.priority ? 'on: providers that have a priority tier are asked for it' : 'off'}.`,
    );
  },
};

/** OpenAI's priority processing, which its Codex models do not take, and Anthropic's fast mode. */
const fastModels = /^(?:(?:gpt-|o[134])(?!.*codex)|claude-.*opus-4[-.]6)/;

function requireFastTier(model: string): void {
  const name = (model.toLowerCase().split('/').at(-1) ?? '').split(':', 1)[0] ?? '';
  if (fastModels.test(name)) return;
  throw new UserError(`${model} has no faster tier; nothing was changed.`, {
    hint: 'Models of OpenAI (not the Codex ones) and Claude Opus 4.6 have one.',
  });
}
