/** `/background`: a task of its own beside the conversation, whose result comes into the chat. */
import type { ChatCommand } from './chat-command.ts';

export const background: ChatCommand = {
  name: 'background',
  aliases: ['bg', 'btw'],
  category: 'Session',
  description: 'do something beside this conversation, and tell the result here',
  argumentHint: '<prompt>',
  atOnce: true,
  run({ chat, event, gateway, print }, args) {
    if (args === '') return print('Usage: /background <prompt>');
    const id = gateway.background.start(event, chat.sessionKey, args);
    print(`🔄 Background task ${id} has begun; its result comes here. You can go on writing.`);
  },
};
