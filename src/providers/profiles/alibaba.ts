/** Alibaba Cloud (DashScope): the Qwen models. */
import type { ProviderProfile } from '../../llm/provider.ts';

export const alibaba: ProviderProfile = {
  id: 'alibaba',
  name: 'Alibaba Cloud (Qwen)',
  aliases: ['dashscope', 'aliyun', 'qwen', 'alibaba-cloud', 'qwen-dashscope'],
  apiMode: 'chat_completions',
  baseUrl: 'https://dashscope-intl.aliyuncs.com/compatible-mode/v1',
  baseUrlVariable: 'DASHSCOPE_BASE_URL',
  keyVariables: ['DASHSCOPE_API_KEY'],
  auth: 'api_key',
  signupUrl: 'https://modelstudio.console.alibabacloud.com',
  defaultModel: 'qwen3-coder-plus',
  models: ['qwen3-max', 'qwen3-coder-plus', 'qwen-plus', 'qwen-flash'],
  quirks: { dottedModelNames: true, cacheMarks: true },
};
