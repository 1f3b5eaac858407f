/** The coding plan of Alibaba Cloud. */
import type { ProviderProfile } from '../../llm/provider.ts';

export const alibabaCodingPlan: ProviderProfile = {
  id: 'alibaba-coding-plan',
  name: 'Alibaba Cloud (coding plan)',
  aliases: ['alibaba_coding', 'alibaba_coding_plan', 'alibaba-coding', 'dashscope-coding'],
  apiMode: 'chat_completions',
  baseUrl: 'https://coding-intl.dashscope.aliyuncs.com/v1',
  baseUrlVariable: 'ALIBABA_CODING_PLAN_BASE_URL',
  keyVariables: ['ALIBABA_CODING_PLAN_API_KEY', 'DASHSCOPE_API_KEY'],
  auth: 'api_key',
  modelsDev: ['alibaba-coding-plan', 'alibaba'],
  billing: 'plan',
  signupUrl: 'https://modelstudio.console.alibabacloud.com',
  defaultModel: 'qwen3-coder-plus',
  models: ['qwen3-coder-plus', 'qwen3-max'],
  quirks: { dottedModelNames: true },
};
