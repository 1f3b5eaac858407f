/** Chat completions, asked with the official client and without. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import OpenAI from 'openai';
import { key, startApi } from './support.ts';

function clientOf(url: string): OpenAI {
  return new OpenAI({ baseURL: `${url}/v1`, apiKey: key, maxRetries: 0 });
}

test('a question gets an answer with the sum of its tokens', async (t) => {
  const { url, model, store } = await startApi(t);
  model.enqueue({ text: 'Hello.' });
  const answer = await clientOf(url).chat.completions.create({
    model: 'whatever',
    messages: [{ role: 'user', content: 'say hi' }],
  });
  assert.equal(answer.object, 'chat.completion');
  assert.match(answer.id, /^chatcmpl-[0-9a-f]{29}$/);
  assert.equal(answer.model, 'whatever');
  assert.deepEqual(answer.choices[0]?.message, { role: 'assistant', content: 'Hello.' });
  assert.deepEqual(answer.usage, { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 });
  const [session] = await store.sessions.list({ source: 'api_server' });
  assert.equal(session?.preview, 'say hi');
});

test('a stream has a role, text, an end with usage; its text is what is stored', async (t) => {
  const { url, model, store } = await startApi(t);
  model.enqueue({ text: 'A somewhat longer answer, in a few pieces.' });
  const stream = await clientOf(url).chat.completions.create({
    model: 'm',
    stream: true,
    messages: [{ role: 'user', content: 'tell me' }],
  });
  const chunks = await Array.fromAsync(stream);
  assert.equal(chunks[0]?.choices[0]?.delta.role, 'assistant');
  assert.equal(chunks.at(-1)?.choices[0]?.finish_reason, 'stop');
  assert.equal(chunks.at(-1)?.usage?.total_tokens, 15);
  const text = chunks.map((chunk) => chunk.choices[0]?.delta.content ?? '').join('');
  const [session] = await store.sessions.list({ source: 'api_server' });
  const stored = await store.messages.conversation(session?.id ?? '');
  assert.equal(stored.at(-1)?.content, text);
});
