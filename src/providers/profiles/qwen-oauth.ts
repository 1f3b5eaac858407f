/** Qwen on its own portal, with a key of that portal. */
import type { ProviderProfile } from '../../llm/provider.ts';

export const qwenOauth: ProviderProfile = {
  id: 'qwen-oauth',
  name: 'Qwen Portal',
  aliases: ['qwen-cli', 'qwen-portal'],
  apiMode: 'chat_completions',
  baseUrl: 'https://portal.qwen.ai/v1',
  baseUrlVariable: 'HERMES_QWEN_BASE_URL',
  keyVariables: ['QWEN_API_KEY'],
  auth: 'api_key',
  // https://github.com/QwenLM/qwen-code/pull/3210
  keyHint:
    'Qwen ended its free login on 2026-04-15. Use provider `alibaba` or `alibaba-coding-plan` with DASHSCOPE_API_KEY, or set QWEN_API_KEY to a key of the portal.',
  modelsDev: ['alibaba'],
  maxTokens: 65_536,
  signupUrl: 'https://chat.qwen.ai',
  defaultModel: 'qwen3-coder-plus',
  models: ['qwen3-coder-plus'],
};
