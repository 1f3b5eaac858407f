/** `/agents`: what is at work for this chat, and a hand on it. */
import { agentLines, agentsHint, changeAgents } from '../../commands/session/sub-agents.ts';
import type { ChatCommand } from './chat-command.ts';

export const agents: ChatCommand = {
  name: 'agents',
  aliases: ['tasks'],
  description: 'show what is at work for this chat; stop or steer a sub-agent, or pause new ones',
  argumentHint: agentsHint,
  atOnce: true,
  run({ chat, gateway, print }, args) {
    const own = chat.worker?.session.background.agents;
    const changed = own === undefined ? undefined : changeAgents(own, args);
    if (changed !== undefined) return print(changed);
    const minutes = (since: number): number => Math.floor((gateway.clock.now() - since) / 60_000);
    const processes = chat.worker?.session.background.count ?? 0;
    const tasks = gateway.background.of(chat.sessionKey);
    print(
      [
        `Conversation: ${chat.busy ? 'working' : 'idle'}`,
        `Background processes: ${processes}`,
        ...(own === undefined ? ['Sub-agents: none'] : agentLines(own, gateway.clock.now())),
        ...(tasks.length === 0 ? ['Background tasks: none'] : ['Background tasks:']),
        ...tasks.map(({ id, prompt, startedAt }) => `${id} (${minutes(startedAt)} min): ${prompt.slice(0, 80)}`),
      ].join('\n'),
    );
  },
};
