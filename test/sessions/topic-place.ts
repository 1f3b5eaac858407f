/** A topic of a private chat for tests. */
export const topicOrigin = {
  platform: 'telegram',
  chat_id: '42',
  chat_name: 'Ann',
  chat_type: 'dm',
  user_id: '42',
  user_name: 'ann',
  thread_id: '7',
  chat_topic: null,
};
export const topicKey = 'agent:main:telegram:dm:42:7';
