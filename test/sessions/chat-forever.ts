/**
 * A gateway with nothing but its store: goes on where the last one was killed, then takes numbered messages and answers
 * them, and says what it was promised and what it gave to its platform; run by the tests.
 */
import type { Reply } from '../../src/sessions/chat-inbox.ts';
import { openSessionStore } from '../../src/sessions/open-store.ts';
import { route } from './chat-support.ts';

const [path = '', first = '0', count = 'Infinity'] = process.argv.slice(2);
const chats = 5;
const platform = 'telegram';
const store = await openSessionStore({ kind: 'sqlite', path });
const { chatInbox, outbox, chatRoutes } = store;

for (const reply of await outbox.claimOpen([platform])) {
  if (reply.attempts < 3) await send(reply.id, reply);
  else {
    await outbox.abandon(reply.id, 'tried three times');
    await say('abandoned', reply.id);
  }
}
for (const message of await chatInbox.open()) await answer(message.id, message.eventId, message.sessionKey);
for (let at = Number(first); at < Number(first) + Number(count); at += chats) {
  await Promise.all(Array.from({ length: chats }, (_, chat) => hear(at + chat, `k${chat}`)));
}
await store.close();

async function hear(number: number, sessionKey: string): Promise<void> {
  const eventId = String(number);
  const message = { platform, eventId, sessionKey, event: JSON.stringify({ number }), receivedAt: Date.now() };
  // The platform tells it twice.
  const told = await Promise.all([chatInbox.accept(message), chatInbox.accept(message)]);
  await say(told.join() === 'accepted,duplicate' ? 'accepted' : 'wrong', eventId);
  const [waiting] = await chatInbox.waiting(sessionKey);
  if (waiting?.eventId !== eventId) await say('wrong', eventId);
  await chatRoutes.save([route({ session_key: sessionKey, total_tokens: number })]);
  await say('routed', eventId);
  if (waiting !== undefined) await answer(waiting.id, eventId, sessionKey);
}

async function answer(id: number, eventId: string, sessionKey: string): Promise<void> {
  await chatInbox.begin([id], { sessionId: sessionKey, turnAfter: null });
  const reply = {
    id: eventId,
    sessionKey,
    platform,
    chatId: sessionKey,
    threadId: null,
    content: eventId,
    details: '{}',
  };
  const [written] = await chatInbox.end([id], 'done', [reply]);
  if (written !== eventId) await say('wrong', eventId);
  await say('ended', eventId);
  await send(eventId);
}

async function send(id: string, found?: Reply): Promise<void> {
  if (!(await outbox.begin(id))) await say('wrong', id);
  // Whether it was given to the platform before is not known: it may be a second copy, and says so.
  await say((found?.unknown ?? 0) > 0 ? 'again' : 'sent', id);
  await outbox.partSent(id, 1);
  await outbox.delivered(id);
  await say('delivered', id);
}

/** Said before anything else happens, also when whoever listens is slow. */
async function say(what: string, id: string): Promise<void> {
  await new Promise((said) => process.stdout.write(`${what} ${id}\n`, said));
}
