/** `/whoami`: as whom the agent sees the sender, and what they may do. */
import type { ChatCommand } from './chat-command.ts';

export const whoami: ChatCommand = {
  name: 'whoami',
  category: 'Info',
  description: 'show who you are here and what you may do',
  atOnce: true,
  run({ event: { source }, gateway, offered, print }) {
    const { tier } = gateway.authorization.tierOf(source);
    const scope = source.chat_type === 'dm' ? 'DM' : 'group/channel';
    const names = tier === 'user' ? offered.map(({ name }) => `/${name}`).join(' ') : 'all commands';
    print(
      `Platform: ${source.platform}\nScope: ${scope}\nUser id: ${source.user_id ?? 'none'}\nTier: ${tier}\nMay run: ${names}`,
    );
  },
};
