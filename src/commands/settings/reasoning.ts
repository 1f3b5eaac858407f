/** `/reasoning`: how hard the model thinks, and whether that is shown. */
import { UserError } from '../../lib/errors.ts';
import { effortWords as efforts } from '../../config/reasoning-effort.ts';
import { effortOf } from '../../llm/reasoning-effort.ts';
import type { TerminalCommand } from '../command.ts';

export const reasoning: TerminalCommand = {
  name: 'reasoning',
  category: 'Configuration',
  description: 'set how hard the model thinks, show or hide it',
  argumentHint: '[effort | show | hide | full | clamp] [--global]',
  values: [...efforts, 'show', 'hide', 'on', 'off', 'full', 'clamp', '--global'],
  surface: 'cli',
  whileBusy: true,
  async run({ session, settings, ui }, args) {
    const words = args.toLowerCase().split(/\s+/);
    const forGood = words.includes('--global');
    const word = words.filter((each) => each !== '--global').join(' ');
    const effort = efforts.find((known) => known === word);
    if (effort !== undefined) {
      session.agent.settings.reasoningEffort = effortOf(effort);
      if (forGood) await settings.save([{ path: ['agent', 'reasoning_effort'], value: effort }]);
    } else if (['show', 'on', 'hide', 'off'].includes(word)) {
      settings.display.showReasoning = word === 'show' || word === 'on';
      await settings.save([{ path: ['display', 'show_reasoning'], value: settings.display.showReasoning }]);
    } else if (word === 'full' || word === 'clamp') {
      settings.display.fullReasoning = word === 'full';
      await settings.save([{ path: ['display', 'reasoning_full'], value: settings.display.fullReasoning }]);
    } else if (word !== '') {
      throw new UserError(`'${args}' is not one of: ${efforts.join(', ')}, show, hide, full, clamp`);
    }
    const set = session.agent.settings.reasoningEffort ?? 'medium';
    const { showReasoning, fullReasoning } = settings.display;
    const shown = showReasoning ? `shown${fullReasoning ? ', all of it' : ''}` : 'hidden';
    ui.print(`Reasoning effort: ${set}. Reasoning is ${shown}.`);
  },
};
