/** `/agents`: what is at work for this chat, and a hand on it. */
import { agentLines, agentsHint, changeAgents, taskLines } from '../../commands/session/sub-agents.ts';
import type { ChatCommand } from './chat-command.ts';

export const agents: ChatCommand = {
  name: 'agents',
  aliases: ['tasks'],
  category: 'Session',
  description: 'show what is at work for this chat; stop it, steer a sub-agent, or pause new ones',
  argumentHint: agentsHint,
  atOnce: true,
  run({ chat, gateway, print }, args) {
    const tasks = gateway.background.of(chat.sessionKey);
    const own = chat.worker?.session.background.agents;
    const changed = own === undefined ? undefined : changeAgents(own, args, tasks);
    if (changed !== undefined) return print(changed);
    const processes = chat.worker?.session.background.count ?? 0;
    print(
      [
        `Conversation: ${chat.busy ? 'working' : 'idle'}`,
        `Background processes: ${processes}`,
        ...(own === undefined ? ['Sub-agents: none'] : agentLines(own, gateway.clock.now())),
        ...(tasks.list().length === 0 ? ['Background tasks: none'] : taskLines(tasks, gateway.clock.now())),
      ].join('\n'),
    );
  },
};
