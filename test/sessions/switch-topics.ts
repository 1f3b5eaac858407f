/** A process in which a topic is given one session after the other, and says which ones it was promised; run by a test. */
import { newRoute } from '../../src/sessions/route-entry.ts';
import { openSessionStore } from '../../src/sessions/open-store.ts';
import { topicKey, topicOrigin } from './topic-place.ts';

const [path = '', first = '0'] = process.argv.slice(2);
const store = await openSessionStore({ kind: 'sqlite', path });
const { chat_id: chatId, chat_type: chatType, user_id: userId, thread_id: threadId } = topicOrigin;
const place = {
  sessionKey: topicKey,
  chatId,
  chatType,
  threadId,
  displayName: null,
  origin: JSON.stringify(topicOrigin),
};
for (let number = Number(first); ; number += 1) {
  const id = `s${number}`;
  const times = { startedAt: number, now: number };
  const chat = { display_name: null, platform: 'telegram', chat_type: 'dm', origin: topicOrigin };
  await store.chatRoutes.save([newRoute({ ...chat, session_key: topicKey, session_id: id }, times)]);
  await store.sessions.create({ id, source: 'telegram', userId, chat: place });
  // Said before the next one comes, also when whoever listens is slow.
  await new Promise((said) => process.stdout.write(`${number}\n`, said));
}
