/** `/browser`: which browser the agent uses in this session. */
import { UserError } from '../../lib/errors.ts';
import type { TerminalCommand } from '../command.ts';

const usual = 'http://127.0.0.1:9222';

export const browser: TerminalCommand = {
  name: 'browser',
  category: 'Tools & Skills',
  description: 'let the agent use a browser that runs already',
  argumentHint: '[connect [url]|disconnect|status]',
  values: ['connect', 'disconnect', 'status'],
  surface: 'cli',
  whileBusy: false,
  async run({ session, ui }, args) {
    const { browser: own } = session.knowledge;
    const [verb = 'status', url = usual, ...more] = args.split(/\s+/).filter((word) => word !== '');
    if (own === undefined) throw new UserError('There is no browser in this session.');
    if (more.length > 0 || !['connect', 'disconnect', 'status'].includes(verb)) {
      throw new UserError(`'/browser ${args}' is not understood.`, {
        hint: 'Use: /browser connect [url], disconnect or status',
      });
    }
    if (verb === 'connect') {
      if (!/^(?:https?|wss?):\/\/[^/]/i.test(url)) {
        throw new UserError(`'${url}' is no address of a browser.`, { hint: `Such as: /browser connect ${usual}` });
      }
      await own.connect(url, AbortSignal.timeout(30_000));
    }
    if (verb === 'disconnect') await own.disconnect();
    ui.print(own.describe());
  },
};
