/** GitHub Copilot, with a GitHub token that may use it. */
import type { ModelRequest } from '../../llm/protocol.ts';
import type { ProviderProfile } from '../../llm/provider.ts';

export const copilot: ProviderProfile = {
  id: 'copilot',
  name: 'GitHub Copilot',
  aliases: ['github', 'github-copilot', 'github-models', 'github-model'],
  apiMode: 'chat_completions',
  apiModes: [{ models: /^gpt-(?!5-mini)(?:[5-9]|\d\d)/, apiMode: 'codex_responses' }],
  baseUrl: 'https://api.githubcopilot.com',
  baseUrlVariable: 'COPILOT_API_BASE_URL',
  keyVariables: ['COPILOT_GITHUB_TOKEN', 'GH_TOKEN', 'GITHUB_TOKEN'],
  keyDomains: ['githubcopilot.com'],
  auth: 'copilot',
  modelsDev: ['github-copilot'],
  billing: 'plan',
  signupUrl: 'https://github.com/settings/copilot',
  dropsMaker: true,
  modelSpelling: 'dotted_claude',
  defaultModel: 'gpt-5.4',
  models: ['gpt-5.4', 'gpt-5-mini', 'claude-sonnet-4.6', 'gpt-4.1', 'gpt-4o', 'gemini-3-flash'],
  // No Copilot-Integration-Id: the registered ids belong to other programs.
  headers: { 'Editor-Version': 'hermes-agent/0.1', 'Openai-Intent': 'conversation-edits' },
  requestHeaders: copilotHeaders,
  quirks: {
    encryptedReasoning: false,
    efforts: ['low', 'medium', 'high'],
    reasoning: 'reasoning_effort',
    replayReasoning: false,
  },
};

/** Requests that a person began count against a quota, the agent's own steps do not. */
function copilotHeaders({ messages }: ModelRequest): Record<string, string> {
  const images = messages.some(
    ({ content }) => Array.isArray(content) && content.some((part) => part.type === 'image_url'),
  );
  return {
    'x-initiator': messages.at(-1)?.role === 'user' ? 'user' : 'agent',
    ...(images ? { 'Copilot-Vision-Request': 'true' } : {}),
  };
}
