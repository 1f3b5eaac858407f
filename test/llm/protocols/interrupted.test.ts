/** An answer that is broken off, by the person or by the network, still yields everything that had come. */
import assert from 'node:assert/strict';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { ModelError } from '../../../src/llm/model-error.ts';
import type { ApiMode } from '../../../src/llm/protocol.ts';
import { openProtocol } from '../../../src/llm/protocols/catalogue.ts';
import { delta, encodeEvent, messageStart } from '../../fakes/bedrock-server.ts';
import { keyOf, requestOf } from './ask.ts';

type Mode = Exclude<ApiMode, 'in_process'>;

/** The end of what was said may be the beginning of a thinking tag, which is held back while more may come. */
const said = ['Hel', 'lo <thi'] as const;
const sse = (...events: readonly object[]) => events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join('');
const beginnings: Readonly<Record<Mode, string | Buffer>> = {
  chat_completions: sse(...said.map((content) => ({ choices: [{ index: 0, delta: { content } }] }))),
  codex_responses: sse(
    { type: 'response.output_item.added', output_index: 0, item: { type: 'message', id: 'm' } },
    ...said.map((text) => ({ type: 'response.output_text.delta', output_index: 0, item_id: 'm', delta: text })),
  ),
  anthropic_messages: sse(
    { type: 'message_start', message: {} },
    { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
    ...said.map((text) => ({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text } })),
  ),
  gemini_generate: sse(...said.map((text) => ({ candidates: [{ content: { parts: [{ text }] } }] }))),
  ollama_chat: said.map((content) => `${JSON.stringify({ message: { role: 'assistant', content } })}\n`).join(''),
  bedrock_converse: Buffer.concat([messageStart, ...said.map((text) => delta(0, { text }))].map(encodeEvent)),
};
const modes: readonly Mode[] = [
  'chat_completions',
  'codex_responses',
  'anthropic_messages',
  'gemini_generate',
  'ollama_chat',
  'bedrock_converse',
];

/** Answers with the beginning of an answer, and leaves the connection open. */
async function startServer(mode: Mode) {
  let open: ServerResponse | undefined;
  const server = createServer((request, response) => {
    request.resume();
    open = response;
    const type = mode === 'bedrock_converse' ? 'application/vnd.amazon.eventstream' : 'text/event-stream';
    response.writeHead(200, { 'content-type': type }).write(beginnings[mode]);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    breakOff: () => open?.destroy(),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** The text that came, and how it ended, when `breakOff` is called with the first word. */
async function interrupted(mode: Mode, url: string, breakOff: () => void, signal = new AbortController().signal) {
  const key = 'key-0123456789';
  const access = mode === 'bedrock_converse' ? { bedrock: { apiKey: key } } : { authorizer: keyOf(key, mode) };
  const protocol = await openProtocol(mode, { provider: 'p', baseUrl: url, ...access });
  let text = '';
  try {
    for await (const event of protocol.stream(requestOf(), signal)) {
      assert.equal(event.type, 'text');
      if (text === '') breakOff();
      if (event.type === 'text') text += event.text;
    }
  } catch (error) {
    assert.ok(error instanceof ModelError, String(error));
    return { text, kind: error.kind };
  }
  throw new assert.AssertionError({ message: 'the answer was not interrupted' });
}

for (const mode of modes) {
  test(`${mode}: what had been said when the person interrupts is yielded before the error`, async () => {
    await using server = await startServer(mode);
    const person = new AbortController();
    const outcome = await interrupted(mode, server.url, () => person.abort(), person.signal);
    assert.deepEqual(outcome, { text: said.join(''), kind: 'aborted' });
  });

  test(`${mode}: what had been said when the connection breaks is yielded before the error`, async () => {
    await using server = await startServer(mode);
    const outcome = await interrupted(mode, server.url, () => server.breakOff());
    assert.deepEqual(outcome, { text: said.join(''), kind: 'network' });
  });
}
