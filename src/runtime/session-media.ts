/** How a session reaches services that make pictures and videos. */
import { mediaVariables } from '../config/media-variables.ts';
import { Connections } from '../lib/connections.ts';
import type { MediaAccess } from '../tools/making/media-access.ts';
import type { SessionParts } from './session-parts.ts';

export function sessionMedia({ env, models }: Pick<SessionParts, 'env' | 'models'>): MediaAccess {
  let own: Pick<Connections, 'send'> | undefined;
  return {
    setUp: mediaVariables(env),
    connections() {
      const { services, variables } = models.sources;
      return (own ??= services?.connections?.over(variables.network) ?? new Connections(variables.network));
    },
  };
}
