/** How speech reaches services and programs, for sessions and for chats. */
import { userDirectory } from '../config/home.ts';
import { speechOutput } from '../config/speech-output.ts';
import { Connections } from '../lib/connections.ts';
import { childEnvironment } from '../safety/child-env.ts';
import type { SpeechAccess } from '../speech/speech-access.ts';
import type { SideModels } from '../llm/side-task.ts';
import type { SessionParts } from './session-parts.ts';
import { type GatewayParts, toolGateway } from './tool-gateway.ts';

type SpeechParts = Pick<SessionParts, 'config'> & GatewayParts;

/** Reads the settings; opens nothing before something is spoken. `side` are the models of a session that speaks. */
export function speechAccess(parts: SpeechParts, side?: Pick<SideModels, 'ask'>): SpeechAccess {
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
    userHome: userDirectory(env),
    connections: () => (connections ??= new Connections(network)),
    proxies: network.proxies,
    programs: () => childEnvironment(env, { passthrough: config.terminal.env_passthrough }),
    async ask(request, signal) {
      const { text } = await (side ?? outside(parts)).ask('tts_audio_tags', request, signal);
      return text;
    },
  };
}

/** Where no conversation speaks, the models are there for one question. */
function outside({ home, env, config }: SpeechParts): Pick<SideModels, 'ask'> {
  return {
    async ask(...asked) {
      const { openSideModels } = await import('./open-side-models.ts');
      const models = await openSideModels({ home, env, config, onWarning: () => undefined });
      try {
        return await models.side.ask(...asked);
      } finally {
        await models.close();
      }
    },
  };
}
