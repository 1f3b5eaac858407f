/** `/topic`: several conversations in one private chat of Telegram, one in each topic. */
import { sessionLine } from '../../commands/session/list-line.ts';
import { UserError } from '../../lib/errors.ts';
import type { TopicChat } from '../../sessions/chat-topics.ts';
import type { SessionStore } from '../../sessions/session-store.ts';
import type { Gateway } from '../gateway.ts';
import type { PrivateThreads } from '../platform/adapter.ts';
import type { SessionSource } from '../platform/session-source.ts';
import { restoreTopic } from '../topics/restore-topic.ts';
import {
  besideHint,
  howToRestore,
  isOn,
  notEnabled,
  notForPeople,
  switchedOff,
  switchedOn,
  topicHelp,
} from '../topics/topic-words.ts';
import type { ChatCommand, ChatCommandContext } from './chat-command.ts';

const askMs = 30_000;
const mostListed = 10;
const helpWords: ReadonlySet<string> = new Set(['help', '?', '-h', '--help']);
const offWords: ReadonlySet<string> = new Set(['off', 'disable', 'stop']);

export const topic: ChatCommand = {
  name: 'topic',
  category: 'Session',
  description: 'have several conversations in this private chat, one in each topic (Telegram)',
  argumentHint: '[off|help|session-id]',
  atOnce: false,
  async run(context, args) {
    const { gateway, event, print } = context;
    const chat = gateway.topics.chatOf(event.source);
    const { store } = gateway.program;
    if (chat === undefined || store === undefined)
      throw new UserError('/topic is for private chats of Telegram: several conversations, one in each topic.');
    const word = args.toLowerCase();
    if (helpWords.has(word)) print(topicHelp);
    else if (offWords.has(word)) print(await turnOff(chat, context));
    else if (args === '') print(await turnOn(chat, store, context));
    else print(await restore(args, store, context));
  },
};

async function turnOff(chat: TopicChat, { gateway }: ChatCommandContext): Promise<string> {
  const wasOn = await gateway.topics.store.turnOff(chat);
  gateway.topics.forgetHint(chat.chatId);
  return wasOn ? switchedOff : '/topic is not on in this chat.';
}

/** Once more when it is on: what Telegram allows may have changed since. */
async function turnOn(chat: TopicChat, store: SessionStore, { gateway, event }: ChatCommandContext): Promise<string> {
  const said = await askPlatform(event.source, gateway);
  if (said.enabled === false) return notEnabled;
  if (said.peopleMayCreate === false) return notForPeople;
  const wasOn = await gateway.topics.store.isOn(chat);
  await gateway.topics.store.turnOn(chat, said);
  return gateway.topics.threadOf(event.source) === undefined
    ? await aboutChat(chat, store, wasOn)
    : await aboutTopic(event.source, store, gateway);
}

async function askPlatform({ platform }: SessionSource, gateway: Gateway): Promise<PrivateThreads> {
  const threads = gateway.connection(platform)?.adapter?.threads;
  try {
    const said = await threads?.inPrivateChats?.(AbortSignal.timeout(askMs));
    if (said !== undefined) return said;
  } catch (error) {
    gateway.program.log.named('topics').warning(`${platform} did not say whether this bot has topics`, error);
  }
  throw new UserError('Telegram cannot be asked now whether this bot has topics; try again in a while.');
}

async function aboutTopic(source: SessionSource, store: SessionStore, gateway: Gateway): Promise<string> {
  const bound = await store.chatTopics.at(source.chat_id, gateway.topics.threadOf(source) ?? '');
  const row = bound && (await store.sessions.get(bound.sessionId));
  if (row === undefined) return `${isOn}\nThis topic has no conversation yet: the next message begins one.`;
  return `This topic has the conversation ${row.title ?? '(without a title)'}\nId: ${row.id}\n/new begins another. ${besideHint}`;
}

/** With the conversations of this person that no topic has. */
async function aboutChat({ userId }: TopicChat, store: SessionStore, wasOn: boolean): Promise<string> {
  const bound = await store.chatTopics.ofPerson(userId);
  const free = await store.sessions.list({
    source: 'telegram',
    userId,
    excludeSessions: bound.map(({ sessionId }) => sessionId),
    order: 'active',
    limit: mostListed,
  });
  const lines = free.map((session) => sessionLine(session, Date.now()));
  return [
    wasOn ? isOn : switchedOn,
    ...(lines.length === 0 ? [] : ['', 'Earlier conversations without a topic:', ...lines]),
    '',
    howToRestore,
  ].join('\n');
}

async function restore(reference: string, store: SessionStore, context: ChatCommandContext): Promise<string> {
  const { gateway, event, chat } = context;
  if (gateway.topics.threadOf(event.source) === undefined) throw new UserError(howToRestore);
  if (!(await gateway.topics.isTopic(event.source)))
    throw new UserError('/topic is not on in this chat.', { hint: 'Send /topic first.' });
  return await restoreTopic(reference, { store, chat, event, gateway });
}
