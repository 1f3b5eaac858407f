/** What the gateway listens on for other programs: the API server and webhooks. */
import { apiServerSettings, keyProblem } from '../../config/api-server.ts';
import { webhookSettings } from '../../config/webhooks.ts';
import type { GatewayView } from '../../http/api/gateway-view.ts';
import type { Log } from '../../lib/log.ts';
import type { ConnectionStatus } from '../connections/platform-connection.ts';
import { webhookChats } from '../delivery/webhook-chats.ts';
import type { Gateway } from '../gateway.ts';
import type { OtherProfiles as ProfilesOfListener } from '../../http/profile-mounts.ts';
import { KeptListener } from './kept-listener.ts';
import type { OtherProfiles } from './other-profiles.ts';
import type { ProfileGateway } from './profile-gateway.ts';

export interface ListenersOptions {
  readonly gateway: Gateway;
  readonly view: GatewayView;
  /** An answer for readers that get nothing but its text. */
  readonly shown: (text: string) => Promise<string>;
  readonly log: Log;
  readonly onStatus: (name: string, status: ConnectionStatus) => void;
  /** Profiles that are served below `/p/<profile>/` too. */
  readonly others?: OtherProfiles | undefined;
}

/** Those that are switched on; nothing is opened yet. */
export function openListeners({
  gateway,
  view,
  shown,
  log,
  onStatus,
  others,
}: ListenersOptions): readonly KeptListener[] {
  const { program, clock } = gateway;
  const { config, env, home } = program.options;
  const api = apiServerSettings(config, env, home.profile);
  const refusal = api.enabled ? keyProblem(api.key) : undefined;
  const own = { clock, log };
  return [
    ...(api.enabled
      ? [
          new KeptListener({
            ...own,
            name: 'api_server',
            label: 'The API server',
            problem:
              refusal === undefined
                ? undefined
                : `the API server does not start: ${refusal}. Set API_SERVER_KEY in .env to a long random text.`,
            open: async () => {
              const { startApiServer } = await import('../../http/api/start-api-server.ts');
              return await startApiServer(program, undefined, {
                gateway: view,
                shown,
                ...(others && {
                  others: seenBy(others, (profile, its) => ({
                    program: its.program,
                    gateway: profile.view(),
                    shown: (text) => profile.shown(text),
                  })),
                }),
              });
            },
            onStatus: (status) => onStatus('api_server', status),
          }),
        ]
      : []),
    ...(webhookSettings(config, env).enabled
      ? [
          new KeptListener({
            ...own,
            name: 'webhook',
            label: 'The webhook server',
            problem: undefined,
            open: async () => {
              const { startWebhookServer } = await import('../../http/webhooks/start-webhook-server.ts');
              return await startWebhookServer(program, {
                chats: webhookChats(gateway),
                ...(others && {
                  others: seenBy(others, (_, its) => ({ program: its.program, chats: webhookChats(its) })),
                }),
              });
            },
            onStatus: (status) => onStatus('webhook', status),
          }),
        ]
      : []),
  ];
}

/** The other profiles, as a listener knows them. */
function seenBy<Seen>(
  others: OtherProfiles,
  see: (profile: ProfileGateway, gateway: Gateway) => Seen,
): ProfilesOfListener<Seen> {
  return {
    isOpen: (name) => others.isOpen(name),
    keyOf: (name) => others.keyOf(name),
    whenOpen: (told) => others.whenOpen(told),
    async find(name) {
      const profile = await others.find(name);
      const gateway = profile?.gateway;
      return profile === undefined || gateway === undefined ? undefined : see(profile, gateway);
    },
  };
}
