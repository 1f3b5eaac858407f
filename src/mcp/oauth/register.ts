/** Who we are for those who grant access to a server: a client of the owner's, or one that registers itself. */
import { type FetchLike, type OAuthClientMetadata, registerClient } from '@modelcontextprotocol/client';
import { UserError } from '../../lib/errors.ts';
import type { OAuthSettings } from '../settings.ts';
import type { Authority } from './authority.ts';
import type { StoredClient } from './login-files.ts';
import { refusalText } from './refusal.ts';
import { ownClient } from './server-login.ts';

export interface Registration {
  readonly name: string;
  readonly oauth: OAuthSettings;
  readonly redirectUri: string;
  readonly scope: string | undefined;
  readonly fetch: FetchLike;
}

/** What is used, and what of it is kept. Throws `UserError` where nobody may register himself. */
export async function clientFor(authority: Authority, registration: Registration): Promise<StoredClient> {
  const { name, oauth, redirectUri, scope, fetch } = registration;
  if (oauth.client !== undefined) {
    return { ...ownClient(oauth.client), client_name: oauth.clientName, redirect_uris: [redirectUri] };
  }
  const { metadata } = authority;
  if (metadata !== undefined && metadata.registration_endpoint === undefined) {
    throw new UserError(`MCP server '${name}': ${authority.issuer} lets no program register itself.`, ownHint(name));
  }
  try {
    const registered = await registerClient(authority.url, {
      ...(metadata === undefined ? {} : { metadata }),
      clientMetadata: about(oauth.clientName, redirectUri, metadata?.token_endpoint_auth_methods_supported),
      ...(scope === undefined ? {} : { scope }),
      fetchFn: fetch,
    });
    const { client_secret, token_endpoint_auth_method } = registered;
    return { ...registered, client_secret, token_endpoint_auth_method, issuer: authority.issuer };
  } catch (error) {
    if (error instanceof UserError) throw error;
    throw new UserError(
      `MCP server '${name}': ${authority.issuer} did not register this program: ${refusalText(error, [])}`,
      ownHint(name),
    );
  }
}

function about(clientName: string, redirectUri: string, methods: readonly string[] = ['none']): OAuthClientMetadata {
  const known = ['none', 'client_secret_post', 'client_secret_basic'];
  return {
    client_name: clientName,
    redirect_uris: [redirectUri],
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    // A program on somebody's machine keeps no secret of its maker; some services want one all the same.
    token_endpoint_auth_method: known.find((method) => methods.includes(method)) ?? 'none',
    application_type: /^https:/i.test(redirectUri) ? 'web' : 'native',
  };
}

function ownHint(name: string): { hint: string } {
  return {
    hint: `Register one with its makers, and write it to config.yaml as mcp_servers.${name}.oauth.client_id (and client_secret).`,
  };
}
