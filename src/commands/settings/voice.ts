/** `/voice`: speaking and listening in the terminal. Chats have one of their own. */
import { oneOf } from '../arguments.ts';
import type { TerminalCommand } from '../command.ts';
import { voiceWords } from '../voice-word.ts';

export const voice: TerminalCommand = {
  name: 'voice',
  category: 'Configuration',
  description: 'speak with the agent: record what you say, hear what it answers',
  argumentHint: '[on|off|tts|status]',
  values: voiceWords,
  surface: 'cli',
  whileBusy: true,
  async run({ ui }, args) {
    const word = oneOf('voice', args, voiceWords);
    if (ui.voice === undefined) {
      ui.print('Voice mode cannot be turned on: it needs a terminal that is drawn, and this one is plain.');
    } else ui.print(await ui.voice(word));
  },
};
