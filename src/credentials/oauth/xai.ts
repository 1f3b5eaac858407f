/** The login of xAI: in a browser, which comes back to a fixed port of this machine. */
import { clientIdOf } from './client-id.ts';
import { refreshGrant } from './grants.ts';
import type { LoginContext, OAuthLogin } from './login.ts';
import { browserLogin } from './pkce-loopback.ts';
import { createWire } from './wire.ts';

const service = 'xAI';
/** What people see is on accounts.x.ai; it is the same service. */
const issuer = 'https://auth.x.ai';

/**
 * `HERMES_XAI_CLIENT_ID` is needed: the id in circulation belongs to xAI's own program. Throws `UserError` without it.
 */
export function xaiLogin(context: LoginContext): OAuthLogin {
  const flow = {
    provider: 'xai-oauth',
    wire: createWire(service, context, 'HERMES_XAI_REFRESH_TIMEOUT_SECONDS'),
    issuer,
    authorizationEndpoint: `${issuer}/oauth2/authorize`,
    tokenEndpoint: `${issuer}/oauth2/token`,
    scope: 'openid profile email offline_access api:access',
    redirect: { port: 56121, path: '/callback', origins: ['https://accounts.x.ai', issuer] },
    clientId: clientIdOf(context.variables, {
      variable: 'HERMES_XAI_CLIENT_ID',
      service,
      instead: 'Set XAI_API_KEY and use provider `xai`.',
    }),
  };
  return {
    provider: 'xai-oauth',
    async start(options) {
      return (await browserLogin(flow, options)).tokens;
    },
    async refresh(tokens, signal) {
      return (await refreshGrant(flow, tokens, signal)).tokens;
    },
  };
}
