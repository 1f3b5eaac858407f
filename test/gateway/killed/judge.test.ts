/** The judge of killed gateways acquits what is in order, and condemns what differs from it in one thing alone. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { judge } from './judge.ts';
import { answerLines, longLines } from './outside-model.ts';
import type { Sent, Update } from './outside-service.ts';

const updates: readonly Update[] = ['long c1#1', 'say c1#2'].map((text, index) => ({
  id: `u${index + 1}`,
  chat: 'c1',
  text,
  deliveries: 1,
  acknowledged: true,
}));
const first = answerLines('c1#1', longLines);
const [second = ''] = answerLines('c1#2', 1);
const notice = 'I was interrupted while working on this and could not finish it.';

function sent(key: string, text: string, replyTo = 'u2'): Sent {
  return { id: key, chat: 'c1', text, replyTo, key, at: 0, removed: false };
}

/** As parts: the first of them names the first message alone. */
function answerInParts(keyOf: (part: number) => string): readonly Sent[] {
  const texts = [first.slice(0, 10).join('\n'), first.slice(10).join('\n'), second];
  return texts.map((text, part) => sent(keyOf(part), text));
}

function faults(messages: readonly Sent[]): unknown {
  const { lost, doubled, outOfOrder } = judge(updates, messages, '');
  return { lost, doubled, outOfOrder };
}

test('an answer to two messages may be cut into parts that name one of them, though that one was given up before', () => {
  const given = sent('n.0', notice, 'u1');
  const none = { lost: [], doubled: [], outOfOrder: [] };
  assert.deepEqual(faults([given, ...answerInParts((part) => `r.${part}`)]), none);
  // The same texts, as an answer to each.
  const apart = answerInParts((part) => (part < 2 ? `r.${part}` : 's.0'));
  assert.deepEqual(faults([given, ...apart]), { ...none, doubled: ['long c1#1'] });
});

test('an answer to two messages that is sent twice without a mark is a double of both', () => {
  const both = [first.join('\n'), second].join('\n');
  assert.deepEqual(faults([sent('r.0', both), sent('s.0', both)]), {
    lost: [],
    doubled: ['long c1#1', 'say c1#2'],
    outOfOrder: [],
  });
  const shown = sent('preview.c1.1795736441447', first.slice(0, 3).join('\n'), 'u1');
  assert.deepEqual(faults([shown, sent('r.0', both)]), { lost: [], doubled: [], outOfOrder: [] });
});

test('a notice is for the message that it replies to, or for those that it names', () => {
  assert.deepEqual(faults([sent('n.0', notice)]), { lost: ['long c1#1'], doubled: [], outOfOrder: [] });
  const named = `${notice}\n\nThis is about 2 messages:\n- “long c1#1”\n- “say c1#2”`;
  assert.deepEqual(faults([sent('n.0', named)]), { lost: [], doubled: [], outOfOrder: [] });
  assert.deepEqual(faults([sent('n.0', named), sent('n.1', named)]), {
    lost: [],
    doubled: ['long c1#1', 'say c1#2'],
    outOfOrder: [],
  });
});

test('an answer that overtakes an earlier one is out of order', () => {
  assert.deepEqual(faults([sent('r.0', second), sent('s.0', first.join('\n'), 'u1')]), {
    lost: [],
    doubled: [],
    outOfOrder: ['c1#1'],
  });
});
