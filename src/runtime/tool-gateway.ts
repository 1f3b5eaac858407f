/** What the owner has of the tool gateway: a token of the environment, or the login of Nous Portal. */
import { join } from 'node:path';
import { modelVariables } from '../config/model-variables.ts';
import { type GatewayUse, gatewayVariables, type ToolGateway } from '../config/tool-gateway.ts';
import { namedKeys } from '../credentials/keys.ts';
import { unlessAborted } from '../environments/remote/unless-aborted.ts';
import { errorMessage, UserError } from '../lib/errors.ts';
import { isJsonObject, type JsonObject } from '../lib/json.ts';
import type { ModelSettings } from '../providers/model-settings.ts';
import type { RouteSources } from '../providers/route-services.ts';
import type { SessionParts } from './session-parts.ts';

export interface GatewayParts extends Pick<SessionParts, 'home' | 'env'> {
  /** Without them nobody is logged in. */
  readonly models?: {
    readonly settings: Pick<ModelSettings, 'stored'>;
    readonly sources?: Pick<RouteSources, 'services'>;
  };
  /** Told of a token that is about to be sent, so that it is masked wherever it turns up. */
  readonly onToken?: (token: string) => void;
}

const usualPortal = 'https://portal.nousresearch.com';
/** Nobody that it knows, no credits, or not with this subscription. */
const refusals: ReadonlySet<number | undefined> = new Set([401, 402, 403]);
const maxTold = 80;

/** Reads nothing before it is asked, and loads nothing where nobody has logged in. */
export function toolGateway(parts: GatewayParts): ToolGateway {
  const { env, models } = parts;
  const known = gatewayVariables(env);
  const login = () => orNone(() => models?.settings.stored?.login('nous'));
  const again =
    known.token === undefined ? 'log in again with `hermes auth add nous`' : 'correct TOOL_GATEWAY_USER_TOKEN';
  return {
    hasToken: () => known.token !== undefined || login() !== undefined,
    covers: (use) => known.token !== undefined || includes(login()?.claims, use),
    door(use) {
      const place = placed(() => known.address(use));
      return {
        kind: 'gateway',
        address: place instanceof UserError ? nowhere : place,
        async token(signal) {
          if (place instanceof UserError) throw place;
          const token = known.token ?? (await loginTokenOf(parts, signal));
          parts.onToken?.(token);
          return token;
        },
        refusal(status, told) {
          if (!refusals.has(status)) return undefined;
          const portal = modelVariables(env).logins.nousPortal?.replace(/\/+$/, '') ?? usualPortal;
          const said = told.slice(0, maxTold).toWellFormed().trim();
          return `the tool gateway of Nous Portal refused it (status ${status}${said === '' ? '' : `: ${said}`}). Renew the subscription or add credits at ${portal}/billing, or ${again}.`;
        },
      };
    },
  };
}

/** Never asked: the token is refused first. */
const nowhere = 'https://gateway.invalid';

function placed(address: () => string): string | UserError {
  try {
    return address();
  } catch (error) {
    if (error instanceof UserError) return error;
    throw error;
  }
}

/**
 * What the token says of the subscription, at its last renewal: a hint that saves a question at every start. The gateway
 * itself decides. `paid_access` stands for everything, `tool_access` for what its `coverage` names.
 */
function includes(claims: JsonObject | undefined, use: GatewayUse): boolean {
  if (claims?.['paid_access'] === true) return true;
  const access = claims?.['tool_access'];
  if (!isJsonObject(access) || access['enabled'] !== true) return false;
  const coverage = access['coverage'];
  return isJsonObject(coverage) && coverage[use] === true;
}

/** A file that is damaged is told by whoever needs it; until then nobody is logged in. */
function orNone<T>(read: () => T | undefined): T | undefined {
  try {
    return read();
  } catch (error) {
    if (error instanceof UserError) return undefined;
    throw error;
  }
}

async function loginTokenOf({ home, env, models }: GatewayParts, signal: AbortSignal): Promise<string> {
  const { poolFor, log } = models?.sources?.services ?? {};
  const ask = async (): Promise<string | undefined> => {
    // Takes a login that an older version left into the store, where it can be renewed.
    await poolFor?.('nous', namedKeys(['NOUS_API_KEY'], env));
    const { storedLoginToken } = await import('../credentials/login-token.ts');
    return await storedLoginToken(join(home.path, 'auth.json'), 'nous', { variables: env, log });
  };
  const token = await unlessAborted(ask(), signal).catch((error: unknown) => {
    signal.throwIfAborted();
    const hint = error instanceof UserError && error.hint !== undefined ? ` ${error.hint}` : '';
    throw new UserError(`The login of Nous Portal cannot be used: ${errorMessage(error)}${hint}`, { cause: error });
  });
  if (token !== undefined) return token;
  throw new UserError('Nobody is logged in to Nous Portal. Log in with `hermes auth add nous`.');
}
