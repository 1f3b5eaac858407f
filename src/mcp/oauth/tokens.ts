/** From the answer of a token endpoint to what is stored. */
import type { OAuthTokens } from '@modelcontextprotocol/client';
import type { StoredTokens } from './login-files.ts';

/** What tokens belong to. */
export interface Binding {
  readonly issuer: string;
  readonly resource?: string;
  readonly serverUrl: string;
}

export function storedTokens(granted: OAuthTokens, binding: Binding, nowMs = Date.now()): StoredTokens {
  const { access_token, token_type, refresh_token, scope, expires_in } = granted;
  return {
    access_token,
    token_type,
    refresh_token,
    scope,
    expires_in,
    expires_at: expires_in === undefined ? undefined : nowMs / 1000 + expires_in,
    issuer: binding.issuer,
    resource: binding.resource,
    server_url: binding.serverUrl,
    wanted_scope: undefined,
  };
}

/** Different words of several lists, in order; undefined when there is none. */
export function allScopes(...lists: readonly (string | undefined)[]): string | undefined {
  const words = lists.flatMap((list) => list?.split(/\s+/).filter((word) => word !== '') ?? []);
  return words.length === 0 ? undefined : [...new Set(words)].join(' ');
}
