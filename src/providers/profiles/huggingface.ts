/** Hugging Face: open models of many hosts behind one token. */
import type { ProviderProfile } from '../../llm/provider.ts';

export const huggingface: ProviderProfile = {
  id: 'huggingface',
  name: 'Hugging Face',
  aliases: ['hf', 'hugging-face', 'huggingface-hub'],
  apiMode: 'chat_completions',
  baseUrl: 'https://router.huggingface.co/v1',
  baseUrlVariable: 'HF_BASE_URL',
  keyVariables: ['HF_TOKEN'],
  auth: 'api_key',
  aggregator: true,
  signupUrl: 'https://huggingface.co/settings/tokens',
  defaultModel: 'Qwen/Qwen3-Coder-480B-A35B-Instruct',
  models: [
    'Qwen/Qwen3-Coder-480B-A35B-Instruct',
    'deepseek-ai/DeepSeek-V3.2',
    'moonshotai/Kimi-K2-Thinking',
    'zai-org/GLM-4.7',
    'Qwen/Qwen3.5-72B-Instruct',
  ],
};
