/** The login and the keys of xAI, for searches and for speech. */
import type { Variables } from '../config/variables.ts';
import { xaiAddress } from '../config/web-variables.ts';
import type { CredentialPool } from '../credentials/credential.ts';
import { namedKeys } from '../credentials/keys.ts';
import type { XaiAccess, XaiCredential } from '../tools/web/web-access.ts';
import type { GatewayParts } from './tool-gateway.ts';

/** Where logins are kept; without it nobody is logged in. */
type Logins = GatewayParts['models'];

/** There is a login or a key for xAI, whatever it is worth. */
export function hasXai(env: Variables, models: Logins): boolean {
  return xaiAccess(env, models).isThere();
}

/** There is a login or a stored key for it, whatever it is worth. */
export function hasXaiLogin(models: Logins): boolean {
  return ['xai-oauth', 'xai'].some((provider) => hasStored(models, provider));
}

/** The login goes before the key, and both come from the pools that the models use. */
export function xaiAccess(env: Variables, models: Logins): XaiAccess {
  const keys = () => namedKeys(['XAI_API_KEY'], env);
  const hasLogin = (provider: string) => hasStored(models, provider);
  const poolOf = async (provider: string) =>
    await models?.sources?.services?.poolFor?.(provider, provider === 'xai' ? keys() : []);
  return {
    isThere: () => keys().length > 0 || hasXaiLogin(models),
    async take(signal) {
      const login = hasLogin('xai-oauth')
        ? await takeFrom(await poolOf('xai-oauth'), 'xai-oauth', env, signal)
        : undefined;
      if (login !== undefined) return login;
      const stored = await takeFrom(await poolOf('xai'), 'xai', env, signal);
      if (stored !== undefined) return stored;
      const [key] = keys();
      if (key === undefined) return undefined;
      const credential = { id: key.source, label: key.source, secret: key.secret };
      return {
        kind: 'xai',
        baseUrl: withoutSlash(xaiAddress('xai', env)),
        credential,
        report: () => Promise.resolve(false),
      };
    },
  };
}

function hasStored(models: Logins, provider: string): boolean {
  return models?.settings.stored?.has(provider) === true;
}

async function takeFrom(
  pool: CredentialPool | undefined,
  kind: XaiCredential['kind'],
  env: Variables,
  signal: AbortSignal,
): Promise<XaiCredential | undefined> {
  const credential = await pool?.take(signal);
  if (pool === undefined || credential === undefined) return undefined;
  return {
    kind,
    baseUrl: withoutSlash(credential.baseUrl ?? xaiAddress(kind, env)),
    credential,
    report: async (outcome, reportSignal) => (await pool.report(credential, outcome, reportSignal)) !== 'none',
  };
}

function withoutSlash(address: string): string {
  return address.replace(/\/+$/, '');
}
