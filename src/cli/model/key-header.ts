/** The header in which a provider wants its key, for questions that no conversation asks. */
import type { ProviderProfile } from '../../llm/provider.ts';

/** `apiMode` is the wire format in use, which need not be the provider's usual one. */
export function keyHeader(profile: Pick<ProviderProfile, 'id'>, apiMode: string, key: string): Record<string, string> {
  if (profile.id === 'azure-foundry') return { 'api-key': key };
  if (apiMode === 'gemini_generate') return { 'x-goog-api-key': key };
  if (apiMode !== 'anthropic_messages') return { authorization: `Bearer ${key}` };
  const login = key.startsWith('sk-ant-oat');
  return { ...(login ? { authorization: `Bearer ${key}` } : { 'x-api-key': key }), 'anthropic-version': '2023-06-01' };
}
