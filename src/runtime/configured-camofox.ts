/** The Camofox server whose browser a session uses, as far as the environment names one. */
import { camofoxVariables } from '../config/camofox-variables.ts';
import { CamofoxBrowser, type CamofoxBrowserOptions } from '../tools/browser/camofox/camofox-browser.ts';
import { camofoxIdentity } from '../tools/browser/camofox/camofox-identity.ts';
import type { SessionParts } from './session-parts.ts';

const usualAlias = 'host.docker.internal';

/** Undefined: `CAMOFOX_URL` is not set. Asks nobody. */
export function configuredCamofox(
  { env, home, log, config: { config } }: Pick<SessionParts, 'env' | 'home' | 'config' | 'log'>,
  sessionId: string,
  parts: Pick<CamofoxBrowserOptions, 'fetch' | 'rules' | 'within'>,
): CamofoxBrowser | undefined {
  const { url, key } = camofoxVariables(env);
  if (url === undefined) return undefined;
  const { camofox, inactivity_timeout: idleSeconds, command_timeout: commandSeconds } = config.browser;
  const identity = camofoxIdentity(camofox, home.path, sessionId);
  const alias = camofox.loopback_host_alias.trim() === '' ? usualAlias : camofox.loopback_host_alias.trim();
  return new CamofoxBrowser({
    ...parts,
    url,
    key,
    identity,
    // A user that is made for this session has no tabs yet.
    adopts: identity.isKept && camofox.adopt_existing_tab,
    loopbackAlias: camofox.rewrite_loopback_urls === true ? alias : undefined,
    idleSeconds,
    commandSeconds,
    homePath: home.path,
    log: log.named('browser'),
  });
}
