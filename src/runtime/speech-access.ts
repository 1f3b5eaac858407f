/** How speech reaches services and programs, for sessions and for chats. */
import { userDirectory } from '../config/home.ts';
import { speechOutput, type SpeechLogins } from '../config/speech-output.ts';
import { Connections } from '../lib/connections.ts';
import { childEnvironment } from '../safety/child-env.ts';
import type { SpeechAccess, SpeechLogin } from '../speech/speech-access.ts';
import type { SideModels } from '../llm/side-task.ts';
import type { SessionParts } from './session-parts.ts';
import { type GatewayParts, toolGateway } from './tool-gateway.ts';
import { loggedIn } from './media-logins.ts';
import { xaiAccess } from './xai-access.ts';

type SpeechParts = Pick<SessionParts, 'config' | 'plugins'> & GatewayParts;

/** Reads the settings; opens nothing before something is spoken. `side` are the models of a session that speaks. */
export function speechAccess(parts: SpeechParts, side?: Pick<SideModels, 'ask'>): SpeechAccess {
  const { home, env } = parts;
  const { config, models } = parts.config;
  let connections: Connections | undefined;
  const { network } = models;
  return {
    get output() {
      return speechOutput(config.tts, env, speechLogins(parts));
    },
    ...(parts.plugins?.added === undefined ? {} : { added: parts.plugins.added.speakers }),
    homePath: home.path,
    userHome: userDirectory(env),
    connections: () => (connections ??= new Connections(network)),
    proxies: network.proxies,
    programs: () => childEnvironment(env, { passthrough: config.terminal.env_passthrough }),
    login: (signal) => xaiLogin(parts, signal),
    async ask(request, signal) {
      const { text } = await (side ?? outside(parts)).ask('tts_audio_tags', request, signal);
      return text;
    },
  };
}

/** The login of xAI, for what speaks and what hears. */
export async function xaiLogin(
  { env, models }: Pick<GatewayParts, 'env' | 'models'>,
  signal: AbortSignal,
): Promise<SpeechLogin | undefined> {
  const taken = await xaiAccess(env, models).take(signal);
  if (taken === undefined) return undefined;
  return {
    baseUrl: taken.baseUrl,
    key: taken.credential.secret,
    report: async (outcome, reportSignal) =>
      await taken.report(
        outcome === 'ok' ? { kind: 'ok' } : { kind: 'failed', exhausted: false, ...outcome },
        reportSignal,
      ),
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

/** What the owner is logged in to. */
export function speechLogins(parts: Omit<SpeechParts, 'config'>): SpeechLogins {
  const added = parts.plugins?.added?.speakers;
  return {
    gateway: toolGateway(parts),
    logins: loggedIn(parts.models),
    ...(added === undefined ? {} : { added }),
  };
}
