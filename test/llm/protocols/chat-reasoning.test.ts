/** Each maker's way of being asked to think more or less. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Quirks } from '../../../src/llm/endpoint.ts';
import type { ReasoningEffort } from '../../../src/llm/protocol.ts';
import { chatReasoning } from '../../../src/llm/protocols/chat-reasoning.ts';
import { requestOf } from './ask.ts';

const on = { thinking: { type: 'enabled' } };
const off = { thinking: { type: 'disabled' } };
const effort = (reasoning_effort: string) => ({ reasoning_effort });

const reasoning = (effort: string) => ({ reasoning: { enabled: true, effort } });

const dialects: readonly (readonly [NonNullable<Quirks['reasoning']>, string, ReasoningEffort, object])[] = [
  ['openrouter', 'anthropic/claude-opus-4.6', 'xhigh', { verbosity: 'xhigh' }],
  ['openrouter', 'anthropic/claude-sonnet-5', 'minimal', { verbosity: 'low' }],
  ['openrouter', 'anthropic/claude-fable-5', 'none', {}],
  ['openrouter', 'anthropic/claude-opus-4-20250514', 'high', reasoning('high')],
  ['openrouter', 'anthropic/claude-haiku-4.5', 'none', { reasoning: { enabled: false } }],
  ['openrouter', 'xiaomi/mimo-v2-pro', 'low', reasoning('low')],
  ['openrouter', 'meta-llama/llama-4', 'low', {}],
  ['own_server', 'qwen3', 'none', { ...effort('none'), think: false }],
  ['own_server', 'qwen3', 'medium', {}],
  ['own_server', 'gpt-oss', 'high', effort('high')],
  // Kimi refuses the two fields together.
  ['kimi', 'kimi-k2.5', 'none', off],
  ['kimi', 'kimi-k2.5', 'minimal', effort('low')],
  ['kimi', 'kimi-k2.5', 'high', effort('high')],
  ['kimi', 'kimi-k2.5', 'xhigh', effort('high')],
  ['deepseek', 'deepseek-chat', 'high', {}],
  ['deepseek', 'deepseek-v4-pro', 'none', off],
  ['deepseek', 'deepseek-v4-pro', 'low', { ...on, ...effort('low') }],
  ['deepseek', 'deepseek-reasoner', 'xhigh', { ...on, ...effort('max') }],
  ['zai', 'glm-4-plus', 'high', {}],
  ['zai', 'glm-4.7', 'none', off],
  ['zai', 'glm-4.7', 'high', on],
  ['zai', 'glm-5.2', 'low', { ...on, ...effort('high') }],
  ['zai', 'glm-5.2', 'xhigh', { ...on, ...effort('max') }],
  ['ollama', 'gpt-oss:120b', 'none', effort('none')],
  ['ollama', 'gpt-oss:120b', 'medium', effort('medium')],
  ['ollama', 'gpt-oss:120b', 'xhigh', effort('max')],
  ['opencode_go', 'glm-5', 'high', {}],
  ['opencode_go', 'glm-5.2', 'medium', effort('high')],
  ['opencode_go', 'kimi-k2.6', 'none', off],
  ['opencode_go', 'kimi-k2.6', 'high', effort('high')],
  ['opencode_go', 'deepseek-v4-flash', 'none', off],
  ['opencode_go', 'deepseek-v4-flash', 'xhigh', effort('max')],
];

for (const [reasoning, model, reasoningEffort, fields] of dialects) {
  test(`${model} in the dialect ${reasoning}: ${reasoningEffort} is ${JSON.stringify(fields)}`, () => {
    assert.deepEqual(chatReasoning(requestOf({ model, reasoningEffort }), { reasoning }), fields);
  });
}
