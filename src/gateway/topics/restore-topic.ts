/** Brings an earlier conversation into a topic. */
import { UserError } from '../../lib/errors.ts';
import { visibleText } from '../../agent/visible-text.ts';
import type { SessionRow } from '../../sessions/sessions.ts';
import type { SessionStore } from '../../sessions/session-store.ts';
import type { OpenChat } from '../chats/chat-deps.ts';
import type { Gateway } from '../gateway.ts';
import type { MessageEvent } from '../platform/message-event.ts';
import { boundElsewhere } from './topic-words.ts';

export interface TopicRestore {
  readonly store: SessionStore;
  readonly chat: OpenChat;
  readonly event: MessageEvent;
  readonly gateway: Gateway;
}

const maxShownChars = 1000;

/** Throws `UserError` when it is not theirs, in another topic, or at work. Returns what the person is told. */
export async function restoreTopic(reference: string, place: TopicRestore): Promise<string> {
  const { store, chat, event, gateway } = place;
  const { source } = event;
  const row = await store.sessions.resolve(reference);
  // Whether somebody else has one of that name is not said.
  if (row === undefined || row.source !== source.platform || row.user_id !== source.user_id)
    throw new UserError(`You have no conversation '${reference.slice(0, 60)}' here.`, {
      hint: '/topic in the main chat lists them.',
    });
  const bound = await store.chatTopics.ofSession(row.id);
  if (bound !== undefined && bound.sessionKey === chat.sessionKey) return 'This topic has that conversation already.';
  if (bound !== undefined) throw new UserError(boundElsewhere);
  await takeFromOthers(row, place);
  const { sessionKey } = chat;
  const isRestored = await gateway.routing.bind(sessionKey, { source, sessionId: row.id }, async (route, before) =>
    store.chatTopics.restore(route, before?.session_id),
  );
  if (!isRestored) throw new UserError(boundElsewhere);
  // What is open of the one before is closed; it has ended in the store already.
  await chat.resume(row, 'session_switch');
  if (row.title !== null) void gateway.topics.named(row.id, row.title);
  const last = await lastAnswer(store, row.id);
  const name = row.title ?? row.id;
  return [`This topic goes on with: ${name}`, ...(last === undefined ? [] : ['', 'What I said last:', last])].join(
    '\n',
  );
}

/** A conversation is in one chat: where else it was, another one begins. */
async function takeFromOthers({ id }: SessionRow, { chat, gateway }: TopicRestore): Promise<void> {
  const others = [];
  for await (const entry of gateway.routing.each())
    if (entry.session_id === id && entry.session_key !== chat.sessionKey) others.push(entry);
  for (const entry of others) {
    if (!(await gateway.chats.closeResting(entry.session_key)))
      throw new UserError('That conversation is at work in another chat; try again when it is done.');
    await gateway.routing.forget(entry);
  }
}

async function lastAnswer(store: SessionStore, sessionId: string): Promise<string | undefined> {
  const history = await store.messages.conversation(sessionId);
  const last = history.findLast(
    (message) => message.role === 'assistant' && visibleText(message.content).trim() !== '',
  );
  const text = last?.role === 'assistant' ? visibleText(last.content).trim() : '';
  if (text === '') return undefined;
  return text.length <= maxShownChars ? text : `${text.slice(0, maxShownChars).toWellFormed()}…`;
}
