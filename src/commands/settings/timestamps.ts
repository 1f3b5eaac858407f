/** `/timestamps`: when things were said. */
import { oneOf } from '../arguments.ts';
import type { TerminalCommand } from '../command.ts';

export const timestamps: TerminalCommand = {
  name: 'timestamps',
  aliases: ['ts'],
  category: 'Configuration',
  description: 'show the time beside what was said, also in /history',
  argumentHint: '[on|off|status]',
  values: ['on', 'off', 'status'],
  surface: 'cli',
  whileBusy: true,
  async run({ settings, ui }, args) {
    const { display } = settings;
    const word = oneOf('timestamps', args, ['on', 'off', 'status']);
    if (word !== 'status') {
      display.timestamps = word === undefined ? !display.timestamps : word === 'on';
      await settings.save([{ path: ['display', 'timestamps'], value: display.timestamps }]);
    }
    ui.print(`Times are ${display.timestamps ? 'shown' : 'not shown'} beside what was said.`);
  },
};
