/** NVIDIA: hosted open models. */
import type { ProviderProfile } from '../../llm/provider.ts';

export const nvidia: ProviderProfile = {
  id: 'nvidia',
  name: 'NVIDIA NIM',
  aliases: ['build-nvidia', 'nemotron', 'nim', 'nvidia-nim'],
  apiMode: 'chat_completions',
  baseUrl: 'https://integrate.api.nvidia.com/v1',
  baseUrlVariable: 'NVIDIA_BASE_URL',
  keyVariables: ['NVIDIA_API_KEY'],
  auth: 'api_key',
  aggregator: true,
  signupUrl: 'https://build.nvidia.com',
  defaultModel: 'nvidia/llama-3.3-nemotron-super-49b-v1.5',
  models: [
    'nvidia/llama-3.3-nemotron-super-49b-v1.5',
    'qwen/qwen3-coder-480b-a35b-instruct',
    'moonshotai/kimi-k2-instruct',
    'nvidia/llama-3.1-nemotron-70b-instruct',
    'nvidia/llama-3.3-70b-instruct',
  ],
  maxTokens: 16_384,
};
