/** How speech reaches services and programs, for sessions and for chats. */
import { speechOutput } from '../config/speech-output.ts';
import { Connections } from '../lib/connections.ts';
import { childEnvironment } from '../safety/child-env.ts';
import type { SpeechAccess } from '../speech/speech-access.ts';
import type { SessionParts } from './session-parts.ts';

/** Reads the settings; opens nothing before something is spoken. */
export function speechAccess({
  home,
  env,
  config: { config, models },
}: Pick<SessionParts, 'home' | 'env' | 'config'>): SpeechAccess {
  let connections: Connections | undefined;
  const { network } = models;
  return {
    get output() {
      return speechOutput(config.tts, env);
    },
    homePath: home.path,
    connections: () => (connections ??= new Connections(network)),
    proxies: network.proxies,
    programs: () => childEnvironment(env, { passthrough: config.terminal.env_passthrough }),
  };
}
