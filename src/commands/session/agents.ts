/** `/agents`: what is at work for this conversation, and a hand on it. */
import { counted } from '../../lib/counted.ts';
import type { AtWork } from '../background-tasks.ts';
import type { TerminalCommand, TerminalUi } from '../command.ts';
import { agentLines, agentsHint, changeAgents, steerAgent, taskLines } from './sub-agents.ts';

export const agents: TerminalCommand = {
  name: 'agents',
  aliases: ['tasks'],
  category: 'Session',
  description: 'show what is at work; stop it, steer a sub-agent, or pause new ones',
  argumentHint: agentsHint,
  values: ['kill', 'steer', 'pause', 'resume'],
  surface: 'cli',
  whileBusy: true,
  async run({ session, worker, ui, tasks }, args) {
    const { background } = session;
    const changed = changeAgents(background.agents, args, tasks);
    if (changed !== undefined) return ui.print(changed);
    if (ui.watch !== undefined && background.agents.list().length + tasks.list().length > 0) {
      return await watch({ agents: background.agents, tasks }, ui, ui.watch);
    }
    ui.print(
      [
        `Conversation: ${worker.busy ? 'working' : 'idle'}`,
        `Background: ${counted(background.count, 'process', 'processes')}`,
        ...agentLines(background.agents, Date.now()),
        ...taskLines(tasks, Date.now()),
      ].join('\n'),
    );
  },
};

/** Until it is closed; whoever has something to say to a sub-agent comes back to it. */
async function watch(work: AtWork, ui: TerminalUi, open: NonNullable<TerminalUi['watch']>): Promise<void> {
  for (;;) {
    const id = await open(work);
    if (id === undefined) return;
    const text = await ui.ask?.(`What shall ${id} hear?`);
    if (text !== undefined) ui.print(steerAgent(work.agents, id, text));
  }
}
