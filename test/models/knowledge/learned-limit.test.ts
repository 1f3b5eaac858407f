import assert from 'node:assert/strict';
import { assertGrowsLinearly } from '../../growth.ts';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { lowerTier } from '../../../src/models/knowledge/context-tiers.ts';
import { learnedLimit } from '../../../src/models/knowledge/probe-context.ts';

const refusals: readonly (readonly [string, string, number])[] = [
  [
    'OpenAI',
    "This model's maximum context length is 32768 tokens. However, you requested 40000 tokens (8000 in the messages, 32000 in the completion). Please reduce the length of the messages or completion.",
    32_768,
  ],
  [
    'vLLM',
    "This model's maximum context length is 8192 tokens. However, your request has 9000 input tokens. Please reduce the length of the input messages.",
    8192,
  ],
  [
    'OpenRouter',
    "This endpoint's maximum context length is 131072 tokens. However, you requested about 200000 tokens (190000 of text input, 10000 of tool input).",
    131_072,
  ],
  ['Anthropic', 'prompt is too long: 250000 tokens > 200000 maximum', 200_000],
  [
    'Anthropic, with the answer',
    'input length and `max_tokens` exceed context limit: 190000 + 20000 > 200000, decrease input length or `max_tokens` and try again',
    200_000,
  ],
  ['Gemini', 'The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).', 1_048_576],
  [
    'llama.cpp',
    '{"error":{"code":400,"message":"the request exceeds the available context size, try increasing it","type":"exceed_context_size_error","n_prompt_tokens":9000,"n_ctx":8192}}',
    8192,
  ],
  ['llama.cpp, older', 'the request exceeds the available context size (4096 tokens)', 4096],
  ['xAI', "This model's maximum prompt length is 131072 but the request contains 200000 tokens.", 131_072],
  ['Kimi', 'Invalid request: Your request exceeded model token limit: 262144 (requested: 300000)', 262_144],
  ['Copilot', 'prompt token count of 140000 exceeds the limit of 128000', 128_000],
  [
    'Mistral',
    'Prompt contains 40000 tokens and 0 draft tokens, too large for model with 32768 maximum context length',
    32_768,
  ],
  ['with commas', 'maximum context length is 1,048,576 tokens', 1_048_576],
];

for (const [server, text, tokens] of refusals) {
  test(`the window is read out of a refusal by ${server}`, () => {
    assert.equal(learnedLimit(text), tokens);
  });
}

const others: readonly (readonly [string, string])[] = [
  ['names no number', 'Input is too long for requested model.'],
  ['carries an error code', 'invalid params, context window exceeds limit (2013)'],
  [
    'is about the answer',
    'max_tokens is too large: 100000. This model supports at most 16384 completion tokens, whereas you provided 100000.',
  ],
  ['is about the answer, in other words', 'max_completion_tokens (20000) exceeds the model limit of 16384'],
  [
    'is about tokens a minute',
    'Request too large for gpt-4o on tokens per min (TPM): Limit 30000, Requested 45000. Context was fine.',
  ],
  ['is about requests', 'Rate limit reached: limit 10000 requests per day'],
  ['names a tiny number', 'maximum context length is 512 tokens'],
  ['names an absurd number', 'maximum context length is 999999999 tokens'],
];

for (const [what, text] of others) {
  test(`nothing is learned from a refusal that ${what}`, () => {
    assert.equal(learnedLimit(text), undefined);
  });
}

test('whatever a server writes, the answer is a possible window or nothing, and comes at once', () => {
  const words = fc.constantFrom(
    'maximum',
    'context',
    'length',
    'is',
    'limit',
    'tokens',
    '(',
    '>',
    '8192',
    '1,024',
    '99',
    '\n',
  );
  const texts = fc.oneof(
    fc.string({ maxLength: 400 }),
    fc.array(words, { maxLength: 60 }).map((parts) => parts.join(' ')),
  );
  fc.assert(
    fc.property(texts, (text) => {
      const tokens = learnedLimit(text);
      assert.ok(tokens === undefined || (Number.isInteger(tokens) && tokens >= 1024 && tokens <= 10_000_000));
    }),
  );
  for (const part of ['maximum context length ', '1,000', 'context ', 'max tokens limit ', ' '])
    assertGrowsLinearly((size) => void learnedLimit(part.repeat(size)), 5_000, part);
});

test('without a number the window goes down tier by tier and ends', () => {
  assert.equal(lowerTier(1_000_000), 128_000);
  assert.equal(lowerTier(128_000), 64_000);
  assert.equal(lowerTier(20_000), 16_000);
  assert.equal(lowerTier(8_000), undefined);
});
