/** How a session reaches services that make pictures and videos. */
import { mediaVariables } from '../config/media-variables.ts';
import { Connections } from '../lib/connections.ts';
import type { MediaAccess } from '../tools/making/media-access.ts';
import { loggedIn, mediaLogin } from './media-logins.ts';
import type { SessionParts } from './session-parts.ts';
import { type GatewayParts, toolGateway } from './tool-gateway.ts';

export function sessionMedia(
  parts: Pick<SessionParts, 'home' | 'env' | 'models' | 'plugins'> & Pick<GatewayParts, 'onToken'>,
): MediaAccess {
  const { env, models } = parts;
  let own: Pick<Connections, 'send'> | undefined;
  return {
    setUp: mediaVariables(env),
    gateway: toolGateway(parts),
    ...(parts.plugins?.added === undefined ? {} : { added: parts.plugins.added }),
    logins: loggedIn(models),
    login: (id, signal) => mediaLogin(id, env, models, signal),
    connections() {
      const { services, variables } = models.sources;
      return (own ??= services?.connections?.over(variables.network) ?? new Connections(variables.network));
    },
  };
}
