/** Logins of services that make pictures and videos, from the pools that the models use. */
import { mediaVariables } from '../config/media-variables.ts';
import type { Variables } from '../config/variables.ts';
import { namedKeys } from '../credentials/keys.ts';
import type { MediaLogin } from '../tools/making/ask-service.ts';
import type { GatewayParts } from './tool-gateway.ts';
import { hasXaiLogin, xaiAccess } from './xai-access.ts';

type Logins = GatewayParts['models'];

/** Where a login without an address of its own is good, and what stands for it besides. */
const places = {
  nous: { usual: 'https://inference-api.nousresearch.com/v1', keys: ['NOUS_API_KEY'] },
  'openai-codex': { usual: 'https://chatgpt.com/backend-api/codex', keys: [] },
} as const;

/** Services that somebody is logged in to, whatever that is worth. */
export function loggedIn(models: Logins): ReadonlySet<string> {
  const own = Object.keys(places).filter((id) => models?.settings.stored?.has(id) === true);
  return new Set([...(hasXaiLogin(models) ? ['xai'] : []), ...own]);
}

/** Undefined when it is no good any more. */
export async function mediaLogin(
  id: string,
  env: Variables,
  models: Logins,
  signal: AbortSignal,
): Promise<MediaLogin | undefined> {
  if (id === 'xai') {
    const taken = await xaiAccess(env, models).take(signal);
    if (taken === undefined) return undefined;
    return {
      baseUrl: taken.baseUrl,
      key: taken.credential.secret,
      report: (outcome, reportSignal) => taken.report(outcomeOf(outcome), reportSignal),
    };
  }
  if (id !== 'nous' && id !== 'openai-codex') return undefined;
  const { usual, keys } = places[id];
  const pool = await models?.sources?.services?.poolFor?.(id, namedKeys(keys, env));
  const credential = await pool?.take(signal);
  if (pool === undefined || credential === undefined) return undefined;
  return {
    baseUrl: (credential.baseUrl ?? mediaVariables(env)[id].address ?? usual).replace(/\/+$/, ''),
    key: credential.secret,
    ...(credential.account === undefined ? {} : { headers: { 'ChatGPT-Account-ID': credential.account } }),
    report: async (outcome, reportSignal) =>
      (await pool.report(credential, outcomeOf(outcome), reportSignal)) !== 'none',
  };
}

function outcomeOf(outcome: Parameters<MediaLogin['report']>[0]) {
  return outcome === 'ok' ? ({ kind: 'ok' } as const) : ({ kind: 'failed', exhausted: false, ...outcome } as const);
}
