/** StepFun. */
import type { ProviderProfile } from '../../llm/provider.ts';

export const stepfun: ProviderProfile = {
  id: 'stepfun',
  name: 'StepFun',
  aliases: ['step', 'stepfun-coding-plan'],
  apiMode: 'chat_completions',
  baseUrl: 'https://api.stepfun.ai/step_plan/v1',
  baseUrlVariable: 'STEPFUN_BASE_URL',
  keyVariables: ['STEPFUN_API_KEY'],
  auth: 'api_key',
  signupUrl: 'https://platform.stepfun.com',
  defaultModel: 'step-3.5-flash',
  auxModel: 'step-3.5-flash',
  models: ['step-3.5-flash', 'step-3'],
};
