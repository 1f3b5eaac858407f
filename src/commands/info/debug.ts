/** `/debug`: a report for somebody who helps; nothing is uploaded. */
import { UserError } from '../../lib/errors.ts';
import type { TerminalCommand } from '../command.ts';

export const debug: TerminalCommand = {
  name: 'debug',
  category: 'Info',
  description: 'write a report for somebody who helps',
  argumentHint: '[local]',
  values: ['local'],
  surface: 'cli',
  whileBusy: true,
  async run({ ui }, args) {
    if (args !== '' && args !== 'local') {
      throw new UserError(`/debug ${args.slice(0, 40)} is not known here: reports are not uploaded in this build.`, {
        hint: '/debug writes a file, /debug local prints it.',
      });
    }
    ui.print(await ui.runProgram(['debug', 'share', ...(args === 'local' ? ['--local'] : [])]));
  },
};
