/** How speech reaches services and programs, for sessions and for chats. */
import { speechOutput } from '../config/speech-output.ts';
import { Connections } from '../lib/connections.ts';
import { childEnvironment } from '../safety/child-env.ts';
import type { SpeechAccess } from '../speech/speech-access.ts';
import type { SessionParts } from './session-parts.ts';
import { type GatewayParts, toolGateway } from './tool-gateway.ts';

/** Reads the settings; opens nothing before something is spoken. */
export function speechAccess(parts: Pick<SessionParts, 'config'> & GatewayParts): SpeechAccess {
  const { home, env } = parts;
  const { config, models } = parts.config;
  let connections: Connections | undefined;
  const { network } = models;
  const gateway = toolGateway(parts);
  return {
    get output() {
      return speechOutput(config.tts, env, gateway);
    },
    homePath: home.path,
    connections: () => (connections ??= new Connections(network)),
    proxies: network.proxies,
    programs: () => childEnvironment(env, { passthrough: config.terminal.env_passthrough }),
  };
}
