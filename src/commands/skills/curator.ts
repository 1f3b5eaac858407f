/** `/curator`: `hermes curator` from within a chat. */
import type { TerminalCommand } from '../command.ts';

export const curator: TerminalCommand = {
  name: 'curator',
  category: 'Tools & Skills',
  description: 'look after the skills that the agent made',
  argumentHint: '[status | usage | run | pause | resume | pin NAME | unpin NAME | archive NAME | restore NAME | …]',
  values: ['status', 'usage', 'run', 'pause', 'resume', 'pin', 'unpin', 'archive', 'restore', 'list-archived'],
  complete: async ({ session }) =>
    ((await session.knowledge.skills?.commands()) ?? [])
      .filter(({ kind }) => kind === 'skill')
      .flatMap(({ name }) => ['pin', 'unpin', 'archive'].map((verb) => ({ value: `${verb} ${name}` }))),
  surface: 'cli',
  whileBusy: true,
  async run({ session, ui }, args) {
    ui.print(await ui.runProgram(['curator', ...args.split(/\s+/).filter((word) => word !== '')]));
    session.knowledge.skills?.reload();
  },
};
