/** Tencent TokenHub: the Hunyuan models. */
import type { ProviderProfile } from '../../llm/provider.ts';

export const tencentTokenhub: ProviderProfile = {
  id: 'tencent-tokenhub',
  name: 'Tencent TokenHub',
  aliases: ['tencent', 'tokenhub', 'tencentmaas', 'tencent-cloud'],
  apiMode: 'chat_completions',
  baseUrl: 'https://tokenhub.tencentmaas.com/v1',
  baseUrlVariable: 'TOKENHUB_BASE_URL',
  keyVariables: ['TOKENHUB_API_KEY'],
  auth: 'api_key',
  signupUrl: 'https://console.cloud.tencent.com/tokenhub',
  defaultModel: 'hunyuan-2.0-instruct',
  models: ['hunyuan-2.0-instruct', 'hunyuan-2.0-thinking'],
};
