/** Telegram: bots over the Bot API, by long polling or by a webhook. */
import { platformHint } from '../../../prompt/platform-hints.ts';
import { allAre } from '../../intake/access-lists.ts';
import type { Platform } from '../../platform/platform.ts';
import { TelegramAdapter } from './adapter.ts';
import { readTelegram } from './read-settings.ts';

export const platform: Platform = {
  name: 'telegram',
  label: 'Telegram',
  emoji: '✈️',
  maxMessageLength: 4096,
  lengthUnit: 'utf16',
  piiSafe: true,
  sendsOnce: false,
  editsKeepTime: true,
  bindsPort: false,
  transportAuthenticated: false,
  commandPrefix: '/',
  hint: platformHint('telegram', {}),
  requiredVariables: [
    { name: 'TELEGRAM_BOT_TOKEN', prompt: 'Token of the bot', url: 'https://t.me/BotFather', secret: true },
    {
      name: 'TELEGRAM_ALLOWED_USERS',
      prompt: 'Ids of the people who may talk to it, with commas between them (@userinfobot tells yours)',
      secret: false,
      optional: true,
      check: (ids) => (allAre(/^\d+$/, ids) ? undefined : 'Ids of people are numbers; @userinfobot tells yours.'),
    },
    {
      name: 'TELEGRAM_HOME_CHANNEL',
      prompt: 'Chat for messages that nobody asked for there, such as results of scheduled jobs',
      secret: false,
      optional: true,
      check: (id) => (/^(?:-?\d+|@\w+)$/.test(id) ? undefined : 'The id of a chat is a number, or @name of a channel.'),
    },
  ],
  allowedUsersVariable: 'TELEGRAM_ALLOWED_USERS',
  allowAllVariable: 'TELEGRAM_ALLOW_ALL_USERS',
  homeVariable: 'TELEGRAM_HOME_CHANNEL',
  privateChatIsPerson: true,
  readAddress(text) {
    const [, chatId, threadId = null] = /^(-?\d+|@\w+)(?::(\d+))?$/.exec(text) ?? [];
    return chatId === undefined ? undefined : { chatId, threadId };
  },
  setupHint: 'Write /newbot to @BotFather in Telegram; it answers with the token.',
  read: readTelegram,
  create: (host) => new TelegramAdapter(host),
};
