/** `/sethome`: what nobody asked for in a chat comes here from now on. */
import type { ChatCommand } from './chat-command.ts';

export const setHome: ChatCommand = {
  name: 'sethome',
  aliases: ['set-home'],
  category: 'Session',
  description: "make this chat the platform's home channel",
  atOnce: false,
  async run({ event: { source }, gateway, print, saveVariables }) {
    const facts = gateway.connection(source.platform)?.platform;
    if (facts === undefined) return print('This platform has no home channel.');
    const name = source.chat_name ?? source.user_name ?? source.chat_id;
    await saveVariables({
      [facts.homeVariable]: source.chat_id,
      [`${facts.homeVariable}_NAME`]: name,
      [`${facts.homeVariable}_THREAD_ID`]: source.thread_id ?? '',
    });
    gateway.connection(source.platform)?.setHome({ chatId: source.chat_id, name, threadId: source.thread_id });
    print(`🏠 This chat is the home channel of ${facts.label} now: results of jobs and notices come here.`);
  },
};
