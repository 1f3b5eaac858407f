/** `/reasoning` in a chat: how hard the model thinks, and whether that is shown. */
import { effortWords } from '../../config/reasoning-effort.ts';
import { UserError } from '../../lib/errors.ts';
import { effortOf } from '../../llm/reasoning-effort.ts';
import type { ChatCommand } from './chat-command.ts';

export const reasoning: ChatCommand = {
  name: 'reasoning',
  category: 'Configuration',
  description: 'set how hard the model thinks, show or hide it',
  argumentHint: '[effort | reset | show | hide] [--global]',
  atOnce: false,
  async run({ chat, event, gateway, saveSettings, print }, args) {
    const words = args.toLowerCase().split(/\s+/);
    const forGood = words.includes('--global');
    const word = words.filter((each) => each !== '--global').join(' ');
    const { settings } = (await chat.open(event)).session.agent;
    const effort = effortWords.find((known) => known === word);
    if (effort !== undefined) {
      settings.reasoningEffort = effortOf(effort);
      if (forGood) await saveSettings([{ path: ['agent', 'reasoning_effort'], value: effort }]);
    } else if (word === 'reset') {
      settings.reasoningEffort = effortOf(gateway.program.options.config.config.agent.reasoning_effort);
    } else if (['show', 'on', 'hide', 'off'].includes(word)) {
      await saveSettings([{ path: ['display', 'show_reasoning'], value: word === 'show' || word === 'on' }]);
    } else if (word !== '') {
      throw new UserError(`'${args.slice(0, 60)}' is not one of: ${effortWords.join(', ')}, reset, show, hide`);
    }
    const shown = gateway.display.of(event.source.platform).show_reasoning;
    print(`Reasoning effort: ${settings.reasoningEffort ?? 'medium'}. Reasoning is ${shown ? 'shown' : 'hidden'}.`);
  },
};
