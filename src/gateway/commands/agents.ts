/** `/agents`: what is at work for this chat. */
import type { ChatCommand } from './chat-command.ts';

export const agents: ChatCommand = {
  name: 'agents',
  aliases: ['tasks'],
  description: 'show what is at work for this chat',
  atOnce: true,
  run({ chat, gateway, print }) {
    const minutes = (since: number): number => Math.floor((gateway.clock.now() - since) / 60_000);
    const processes = chat.worker?.session.background.count ?? 0;
    const tasks = gateway.background.of(chat.sessionKey);
    print(
      [
        `Conversation: ${chat.busy ? 'working' : 'idle'}`,
        `Background processes: ${processes}`,
        ...(tasks.length === 0 ? ['Background tasks: none'] : ['Background tasks:']),
        ...tasks.map(({ id, prompt, startedAt }) => `${id} (${minutes(startedAt)} min): ${prompt.slice(0, 80)}`),
      ].join('\n'),
    );
  },
};
