/** What a model once wrote as arguments never makes a later request one that a server refuses. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ModelError } from '../../../src/llm/model-error.ts';
import { openProtocol } from '../../../src/llm/protocols/catalogue.ts';
import { startJsonServer } from '../../fakes/json-server.ts';
import { keyOf, requestOf } from './ask.ts';

const modes = ['chat_completions', 'codex_responses', 'anthropic_messages', 'gemini_generate', 'ollama_chat'] as const;

/** The body that a format sends for a history whose one call has these arguments. */
async function bodyOf(mode: (typeof modes)[number], written: string): Promise<string> {
  await using server = await startJsonServer();
  const authorizer = keyOf('sk-ant-api-secret-key', mode);
  const endpoint = { provider: 'p', baseUrl: server.url, authorizer, region: 'eu-west-1' };
  const protocol = await openProtocol(mode, endpoint);
  const call = { id: 'call_1', type: 'function' as const, function: { name: 'look', arguments: written } };
  const messages = [
    { role: 'user' as const, content: 'hi' },
    { role: 'assistant' as const, content: 'a word', tool_calls: [call] },
    { role: 'tool' as const, tool_call_id: 'call_1', tool_name: 'look', content: 'seen' },
  ];
  const request = requestOf({ messages, stream: false });
  await assert.rejects(async () => {
    for await (const _event of protocol.stream(request, new AbortController().signal));
  }, ModelError);
  return server.requests[0]?.body ?? '';
}

for (const mode of modes) {
  test(`${mode}: halves of characters and NUL leave as U+FFFD, also behind an escape`, async () => {
    for (const written of ['{"at":"a\\ud800b\\u0000c"}', '{"at":"a\ud800b\\u0000c"}']) {
      const body = await bodyOf(mode, written);
      assert.match(body, /a\uFFFDb\uFFFDc/, `${mode}: ${body}`);
      assert.doesNotMatch(body, /\\u(?:d800|0000)/i);
    }
  });

  test(`${mode}: whole characters stay, and what is no object leaves as one`, async () => {
    assert.match(await bodyOf(mode, '{"at":"\\ud83d\\ude00"}'), /😀|\\ud83d\\+ude00/i);
    assert.doesNotMatch(await bodyOf(mode, '{"at":"cut'), /cut/);
  });
}
