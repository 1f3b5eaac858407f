/** What this program notes about a message, its kind and its sources, is never sent to a model. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import type { Endpoint } from '../../../src/llm/endpoint.ts';
import type { HistoryMessage } from '../../../src/llm/message.ts';
import type { ModelRequest } from '../../../src/llm/protocol.ts';
import { messagesBody } from '../../../src/llm/protocols/anthropic/request-body.ts';
import { converseInput } from '../../../src/llm/protocols/bedrock/converse-input.ts';
import { chatRequestBody } from '../../../src/llm/protocols/chat-request.ts';
import { geminiRequestBody } from '../../../src/llm/protocols/gemini/request-body.ts';
import { responsesBody } from '../../../src/llm/protocols/responses/request.ts';
import { histories } from '../histories.ts';
import { requestOf } from './ask.ts';

const without: ReadonlySet<never> = new Set();
const replays = () => true;
const chatDialect = { maxTokensField: 'max_tokens', maxTokensSettled: false, without: new Set<string>() } as const;
const formats: Readonly<Record<string, (request: ModelRequest, endpoint: Endpoint) => object>> = {
  'chat completions': (request, endpoint) => chatRequestBody(request, endpoint, chatDialect),
  Responses: (request, endpoint) => responsesBody(request, endpoint, { without, streamOnly: false, replays }),
  Anthropic: (request, endpoint) => messagesBody(request, endpoint, { without, replays }),
  Gemini: geminiRequestBody,
  Bedrock: (request, endpoint) => converseInput(request, endpoint),
};

/** The same message with everything noted that can be. */
function noted(message: HistoryMessage): HistoryMessage {
  const sources = [{ from: 'page', name: 'noted.test' }, { from: 'user' }] as const;
  switch (message.role) {
    case 'user':
      return { ...message, kind: 'recap', sources };
    case 'assistant':
      return { ...message, kind: 'interrupted', sources };
    case 'tool':
      return { ...message, kind: 'unknown', sources };
  }
}

for (const [name, bodyOf] of Object.entries(formats)) {
  test(`${name}: a history with kinds and sources makes the same body, byte for byte, as one without`, () => {
    const endpoint: Endpoint = {
      provider: 'p',
      baseUrl: 'https://models.test/v1',
      quirks: { imagesInToolResults: true },
    };
    const model = 'claude-sonnet-4-5';
    fc.assert(
      fc.property(histories, (history) => {
        const plain = bodyOf(requestOf({ model, messages: history }), endpoint);
        const other = bodyOf(requestOf({ model, messages: history.map(noted) }), endpoint);
        assert.equal(JSON.stringify(other), JSON.stringify(plain));
      }),
      { numRuns: 60 },
    );
  });
}
