/** The login of GitHub Copilot: GitHub's device flow, with an application of the user's own. */
import { clientIdOf } from './client-id.ts';
import { deviceCodeLogin } from './device-code.ts';
import { refreshGrant } from './grants.ts';
import type { LoginContext, OAuthLogin } from './login.ts';
import { createWire } from './wire.ts';

const service = 'GitHub';
const issuer = 'https://github.com';

/**
 * `HERMES_COPILOT_CLIENT_ID` is needed: the ids that GitHub lets into Copilot belong to other vendors' programs.
 * Throws `UserError` without it.
 */
export function copilotLogin(context: LoginContext): OAuthLogin {
  const flow = {
    provider: 'copilot',
    wire: createWire(service, context),
    issuer,
    deviceEndpoint: `${issuer}/login/device/code`,
    tokenEndpoint: `${issuer}/login/oauth/access_token`,
    scope: 'read:user',
    clientId: clientIdOf(context.variables, {
      variable: 'HERMES_COPILOT_CLIENT_ID',
      service,
      instead: 'Set COPILOT_GITHUB_TOKEN, or run `gh auth login` and let the token of gh be used.',
    }),
  };
  return {
    provider: 'copilot',
    async start(options) {
      return (await deviceCodeLogin(flow, options)).tokens;
    },
    async refresh(tokens, signal) {
      return (await refreshGrant(flow, tokens, signal)).tokens;
    },
  };
}
