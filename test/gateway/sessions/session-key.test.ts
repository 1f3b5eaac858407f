/** A chat has one key, the same as the original's. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import * as z from 'zod';
import { isSharedSession, parseSessionKey, sessionKey } from '../../../src/gateway/sessions/session-key.ts';

const text = z.string().optional();
const golden = z
  .object({
    session_keys: z.array(
      z.object({
        source: z.object({
          platform: z.string(),
          chat_id: text,
          chat_type: z.string(),
          user_id: text,
          user_id_alt: text,
          thread_id: text,
        }),
        options: z
          .object({
            group_sessions_per_user: z.boolean().optional(),
            thread_sessions_per_user: z.boolean().optional(),
            profile: text,
          })
          .optional(),
        key: z.string(),
      }),
    ),
  })
  .parse(JSON.parse(readFileSync(new URL('../golden/session-keys.json', import.meta.url), 'utf8'))).session_keys;

test('keys are those of the original', () => {
  for (const { source, options, key } of golden) assert.equal(sessionKey(source, options), key);
});

test('a key says which profile, platform and kind of chat it is of', () => {
  for (const { source, options, key } of golden) {
    const parts = parseSessionKey(key);
    assert.equal(parts?.platform, source.platform);
    assert.equal(parts?.chatType, source.chat_type);
    assert.equal(parts?.profile, options?.profile ?? 'default');
    assert.ok(key.endsWith(`:${parts?.rest}`));
  }
});

test('what is no key is not read as one', () => {
  for (const text of [
    '',
    'agent',
    'agent:main',
    'agent:main:telegram',
    'session:main:telegram:dm:1',
    '20260720_1030',
  ]) {
    assert.equal(parseSessionKey(text), undefined);
  }
});

test('a person without a chat is known by their own id, and a chat without either by its kind', () => {
  assert.equal(sessionKey({ platform: 'x', chat_type: 'dm', user_id: 'u', thread_id: 't' }), 'agent:main:x:dm:u:t');
  assert.equal(sessionKey({ platform: 'x', chat_type: 'dm', thread_id: 't' }), 'agent:main:x:dm:t');
  assert.equal(sessionKey({ platform: 'x', chat_type: 'dm' }), 'agent:main:x:dm');
});

test('all addresses of a person on WhatsApp lead to one conversation', () => {
  const phoneOf = (id: string) => (id === '99887766' ? '4915112345' : undefined);
  for (const id of ['4915112345@s.whatsapp.net', '4915112345:12@s.whatsapp.net', '+4915112345', '99887766@lid']) {
    const source = { platform: 'whatsapp', chat_id: id, chat_type: 'dm', user_id: id };
    assert.equal(sessionKey(source, { phoneOf }), 'agent:main:whatsapp:dm:4915112345');
  }
});

test('Alice and Bob have their own conversations in a channel and one in a thread', () => {
  const channel = { platform: 'discord', chat_id: 'c', chat_type: 'channel' };
  const key = (user_id: string, thread_id?: string) => sessionKey({ ...channel, user_id, thread_id });
  assert.notEqual(key('alice'), key('bob'));
  assert.equal(key('alice', 't'), key('bob', 't'));
  assert.equal(isSharedSession({ ...channel, user_id: 'alice' }), false);
  assert.equal(isSharedSession({ ...channel, user_id: 'alice', thread_id: 't' }), true);
  assert.equal(isSharedSession({ ...channel, chat_type: 'dm', user_id: 'alice', thread_id: 't' }), false);
});
