/** `/agents`: what is at work for this conversation, and a hand on it. */
import { counted } from '../../lib/counted.ts';
import type { TerminalCommand } from '../command.ts';
import { agentLines, agentsHint, changeAgents, taskLines } from './sub-agents.ts';

export const agents: TerminalCommand = {
  name: 'agents',
  aliases: ['tasks'],
  category: 'Session',
  description: 'show what is at work; stop it, steer a sub-agent, or pause new ones',
  argumentHint: agentsHint,
  values: ['kill', 'steer', 'pause', 'resume'],
  surface: 'cli',
  whileBusy: true,
  run({ session, worker, ui, tasks }, args) {
    const { background } = session;
    const changed = changeAgents(background.agents, args, tasks);
    if (changed !== undefined) return ui.print(changed);
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
