/** A video in each wire format: as it wants it, or one clear error before anything is sent. */
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import type { Message } from '../../../src/llm/message.ts';
import { messagesBody } from '../../../src/llm/protocols/anthropic/request-body.ts';
import { Dialects } from '../../../src/llm/protocols/anthropic/dialect.ts';
import { toConverseMessages } from '../../../src/llm/protocols/bedrock/converse-messages.ts';
import { toChatHistory } from '../../../src/models/local/chat-history.ts';
import { GeminiGenerate } from '../../../src/llm/protocols/gemini/generate.ts';
import { OllamaChat } from '../../../src/llm/protocols/ollama/chat.ts';
import { startGeminiServer, textChunk } from '../../fakes/gemini-server.ts';
import { startModelServer } from '../../fakes/model-server.ts';
import { claudeAt } from './anthropic/support.ts';
import { ask, askInVain, protocolAt, requestOf } from './ask.ts';
import { responsesAt } from './responses/support.ts';

const data = Buffer.from('\0\0\0\x18ftypmp42 a video').toString('base64');
const url = `data:video/mp4;base64,${data}`;
const messages: readonly Message[] = [
  {
    role: 'user',
    content: [
      { type: 'text', text: 'What happens?' },
      { type: 'video_url', video_url: { url } },
    ],
  },
];

test('chat completions has it as a part of its own', async () => {
  await using server = await startModelServer({ respond: () => ({ text: 'A dog runs.' }) });
  assert.equal((await ask(protocolAt(server.url), { messages })).text, 'A dog runs.');
  assert.deepEqual(server.lastRequest.body.messages[0]?.content, [
    { type: 'text', text: 'What happens?' },
    { type: 'video_url', video_url: { url } },
  ]);
  assert.deepEqual(server.violations, []);
});

test('Gemini gets the data itself', async () => {
  await using server = await startGeminiServer();
  server.enqueue({ chunks: [textChunk('A dog runs.', { finishReason: 'STOP' })] });
  const gemini = new GeminiGenerate({ provider: 'gemini', baseUrl: server.url });
  await ask(gemini, { model: 'gemini-2.5-flash', messages });
  assert.match(JSON.stringify(server.requests.at(-1)?.body), /"inlineData":\{"mimeType":"video\/mp4","data":"[^"]+"\}/);
  assert.deepEqual(server.violations, []);
});

test('Bedrock gets bytes and a format', () => {
  const [turn] = toConverseMessages(messages, {
    model: 'us.amazon.nova-pro-v1:0',
    toolBlocks: true,
    replayThoughts: false,
  });
  assert.deepEqual(turn?.content, [
    { text: 'What happens?' },
    { video: { format: 'mp4', source: { bytes: Buffer.from(data, 'base64') } } },
  ]);
});

test("MiniMax takes it in Anthropic's format", () => {
  const endpoint = { provider: 'minimax', baseUrl: 'https://api.minimax.io/anthropic', quirks: { videos: true } };
  const request = requestOf({ model: 'MiniMax-M3', messages });
  const body = messagesBody(request, endpoint, new Dialects().for('MiniMax-M3'));
  const block = { type: 'video', source: { type: 'base64', media_type: 'video/mp4', data } };
  assert.deepEqual(body['messages'], [{ role: 'user', content: [{ type: 'text', text: 'What happens?' }, block] }]);
});

test('a format that carries none says so, and nothing is sent', async () => {
  let requests = 0;
  const server = createServer((_, response) => {
    requests += 1;
    response.end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const at = `http://127.0.0.1:${port}`;
  try {
    for (const protocol of [claudeAt(at), responsesAt(at), new OllamaChat({ provider: 'custom', baseUrl: at })]) {
      const { error } = await askInVain(protocol, { messages });
      assert.equal(error.kind, 'bad_request');
      assert.match(error.message, /carries no videos; name a model that takes them/);
    }
    assert.equal(requests, 0);
  } finally {
    server.close();
  }
  assert.throws(() => toChatHistory(messages), /carries no videos/);
});
