/** Microsoft Azure AI Foundry: models of your own deployment. */
import type { ProviderProfile } from '../../llm/provider.ts';

export const azureFoundry: ProviderProfile = {
  id: 'azure-foundry',
  name: 'Azure AI Foundry',
  aliases: ['azure', 'azure-openai', 'azure-ai-foundry', 'azure-ai'],
  apiMode: 'chat_completions',
  // Claude is at an address of its own, which ends in /anthropic.
  apiModes: [{ models: /^(?:gpt-(?:[5-9]|\d\d)|codex|o[134](?:-|$))/, apiMode: 'codex_responses' }],
  baseUrl: '',
  baseUrlVariable: 'AZURE_FOUNDRY_BASE_URL',
  keyVariables: ['AZURE_FOUNDRY_API_KEY'],
  keyHeader: 'api-key',
  auth: 'api_key',
  entra: true,
  modelsDev: ['azure'],
  aggregator: true,
  signupUrl: 'https://ai.azure.com',
  models: ['gpt-5.4', 'gpt-4.1', 'claude-sonnet-4-6'],
  quirks: { maxTokensField: 'max_completion_tokens' },
};
