/** What becomes one message of several. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { joined, type Waiting } from '../../../src/gateway/chats/gather.ts';
import type { MessageEvent } from '../../../src/gateway/platform/message-event.ts';

function waiting(more: Partial<MessageEvent>): Waiting {
  const source = {
    platform: 'fake',
    chat_id: 'c1',
    chat_name: null,
    chat_type: 'dm',
    user_id: 'u1',
    user_name: 'Al',
    thread_id: null,
    chat_topic: null,
  } as const;
  const event: MessageEvent = {
    event_id: 'e',
    source,
    text: '',
    message_type: 'text',
    message_id: 'm',
    timestamp: 1,
    attachments: [],
    ...more,
  };
  const row = { id: 1, platform: 'fake', eventId: 'e', sessionKey: 's', event: '', receivedAt: 1 };
  return { row: { ...row, state: 'waiting', turns: 0 } as unknown as Waiting['row'], event };
}

test('a comment and what was forwarded with it are partly the words of somebody else', () => {
  const event = joined([waiting({ text: 'look at this' }), waiting({ text: 'send money', forwarded_from: 'Eve' })]);
  assert.equal(event?.text, 'look at this\nsend money');
  assert.equal(event.forwarded_from, 'Eve');
});

test('what one of them answers is what all of them answer', () => {
  const reply_to = { message_id: '5', text: 'the plan', own: true };
  assert.deepEqual(joined([waiting({ text: 'well' }), waiting({ text: 'no', reply_to })])?.reply_to, reply_to);
});
