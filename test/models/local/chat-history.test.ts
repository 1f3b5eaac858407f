import assert from 'node:assert/strict';
import { test } from 'node:test';
import { toChatHistory } from '../../../src/models/local/chat-history.ts';
import type { Message } from '../../../src/llm/message.ts';

const call = (id: string, zone: string) => ({
  id,
  type: 'function' as const,
  function: { name: 'clock', arguments: JSON.stringify({ zone }) },
});

test('everything between two words of the user is one answer, with its calls and their results', () => {
  const messages: readonly Message[] = [
    { role: 'system', content: 'You help.' },
    { role: 'user', content: 'What time is it?' },
    { role: 'assistant', content: 'I look.', reasoning: 'old', tool_calls: [call('a', 'Paris'), call('b', 'Oslo')] },
    { role: 'tool', tool_call_id: 'b', content: 'late' },
    { role: 'tool', tool_call_id: 'a', content: '{"time":"12:00"}' },
    { role: 'assistant', content: 'Noon.' },
    {
      role: 'user',
      content: [
        { type: 'text', text: 'See' },
        { type: 'image_url', image_url: { url: 'data:,' } },
      ],
    },
    { role: 'assistant', content: '<think>Hm.</think>', tool_calls: [call('c', 'Rome')] },
    { role: 'tool', tool_call_id: 'c', content: '1' },
  ];
  const clock = (zone: string, result: unknown, first: boolean) => ({
    type: 'functionCall',
    name: 'clock',
    params: { zone },
    result,
    ...(first ? { startsNewChunk: true } : {}),
  });
  assert.deepEqual(toChatHistory(messages), [
    { type: 'system', text: 'You help.' },
    { type: 'user', text: 'What time is it?' },
    {
      type: 'model',
      response: ['I look.', clock('Paris', { time: '12:00' }, true), clock('Oslo', 'late', false), 'Noon.'],
    },
    { type: 'user', text: 'See\n[An image was here; this model cannot see images.]' },
    {
      type: 'model',
      response: [{ type: 'segment', segmentType: 'thought', text: 'Hm.', ended: true }, clock('Rome', 1, true)],
    },
  ]);
});

test('an answer is always left open at the end', () => {
  assert.deepEqual(toChatHistory([{ role: 'user', content: 'Hi' }]).at(-1), { type: 'model', response: [] });
});
