/** `/debug`: a report for somebody who helps. Nothing is uploaded, and nothing secret is shown. */
import { UserError } from '../../lib/errors.ts';
import { secretMask } from '../../runtime/secret-mask.ts';
import type { ChatCommand } from './chat-command.ts';

/** In a chat the ends of the logs are shorter than in the file. */
const shownLines = 20;
const mostCharacters = 12_000;

export const debug: ChatCommand = {
  name: 'debug',
  category: 'Info',
  description: 'write a report for somebody who helps',
  argumentHint: '[local]',
  atOnce: false,
  ofOwner: true,
  async run({ event, gateway, hermes, print }, args) {
    if (args !== '' && args !== 'local') {
      throw new UserError(`/debug ${args.slice(0, 40)} is not known here: reports are not uploaded in this build.`, {
        hint: '/debug writes a file on the machine of the gateway, /debug local shows the report here.',
      });
    }
    if (args === 'local' && event.source.chat_type !== 'dm') {
      throw new UserError('The ends of the logs are shown in a private chat only: others read here.', {
        hint: '/debug writes them to a file on the machine of the gateway.',
      });
    }
    const local = args === 'local' ? ['--local', '--lines', String(shownLines)] : [];
    const report = secretMask(gateway.program.options)(await hermes.run(['debug', 'share', ...local]));
    print(args === 'local' ? fenced(report) : report);
  },
};

/** Lines of a log are no markup. */
function fenced(report: string): string {
  const shown =
    report.length > mostCharacters ? `${report.slice(0, mostCharacters)}\n… the whole of it: /debug` : report;
  return `\`\`\`\n${shown.replaceAll('```', "'''")}\n\`\`\``;
}
