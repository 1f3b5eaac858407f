/** Proxy mode: the chats of a gateway are answered by another Hermes (`gateway.proxy_url`, `GATEWAY_PROXY_KEY`). */
import { gatewayProxyKey } from '../../config/gateway-proxy.ts';
import { UserError } from '../../lib/errors.ts';
import type { ModelRoute, Protocol } from '../../llm/protocol.ts';
import type { ProgramOptions } from '../../runtime/program-options.ts';
import type { SessionSpec } from '../../runtime/session-spec.ts';
import type { RemoteAgentOptions } from './remote-agent.ts';

type Options = Pick<ProgramOptions, 'config' | 'env'>;

/** The setting that names the other agent, which stands for a provider. */
const remoteName = 'gateway.proxy_url';
/** The name that the server gives itself; it answers to any. */
const remoteModel = 'hermes-agent';

/** Undefined where chats are answered here. Throws `UserError` for what is no address. */
export function proxyRoute({ config: { config, models }, env }: Options): ModelRoute | undefined {
  const written = config.gateway.proxy_url.trim();
  if (written === '') return undefined;
  const url = addressIn(written);
  return {
    provider: remoteName,
    model: remoteModel,
    baseUrl: url,
    apiMode: 'chat_completions',
    protocol: loadedWhenAsked({
      provider: remoteName,
      model: remoteModel,
      url,
      key: gatewayProxyKey(env),
      network: models.network,
    }),
    streaming: true,
    // It looks at pictures itself, or has them described there.
    vision: true,
  };
}

/** What is said at the start; undefined: nothing. */
export function proxyWarning({ config: { config }, env }: Options): string | undefined {
  if (gatewayProxyKey(env) === undefined || config.gateway.proxy_url.trim() !== '') return undefined;
  return 'GATEWAY_PROXY_KEY is set but no GATEWAY_PROXY_URL (or gateway.proxy_url): chats are answered by the model of this machine.';
}

/** What makes a conversation one of that agent. */
export function specElsewhere(route: ModelRoute): Required<Pick<SessionSpec, 'route' | 'toolsets' | 'mode'>> {
  return { route, toolsets: [], mode: { elsewhere: true } };
}

/** Without `/v1` and without a slash at its end. It is not repeated in a complaint: a password may stand in it. */
function addressIn(written: string): string {
  const url = URL.parse(written);
  if (url === null || (url.protocol !== 'http:' && url.protocol !== 'https:'))
    throw notUsable('is no address of an API server.');
  if (url.username !== '' || url.password !== '')
    throw notUsable('has a password in it: the key of that server belongs into GATEWAY_PROXY_KEY.');
  if (url.search !== '' || url.hash !== '') throw notUsable('is no plain address: take off what follows ? or #.');
  return written.replace(/\/+$/, '').replace(/\/v1$/, '');
}

function notUsable(why: string): UserError {
  return new UserError(`${remoteName} (GATEWAY_PROXY_URL) ${why}`, {
    exitCode: 78,
    hint: 'It looks like http://192.168.1.100:8642.',
  });
}

function loadedWhenAsked(options: RemoteAgentOptions): Protocol {
  let loaded: Promise<Protocol> | undefined;
  return {
    async *stream(...asked) {
      loaded ??= import('./remote-agent.ts').then(({ RemoteAgent }) => new RemoteAgent(options));
      yield* (await loaded).stream(...asked);
    },
  };
}
