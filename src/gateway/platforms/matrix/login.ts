/** Who the bot is on its homeserver: by an access token, or by a password once and the token of that login afterwards. */
import * as z from 'zod';
import { parseJson } from '../../../lib/json.ts';
import type { AdapterHost } from '../../platform/adapter-host.ts';
import { PlatformError } from '../../platform/platform-error.ts';
import type { MatrixApi } from './api.ts';
import { ApiError, wrongToken } from './errors.ts';
import type { MatrixSettings } from './settings.ts';
import * as wire from './wire.ts';

export interface Account {
  readonly userId: string;
  /** Undefined where the homeserver tells none; then nothing can be encrypted. */
  readonly deviceId: string | undefined;
}

const note = 'login';
const kept = z.object({ root: z.string(), user_id: z.string(), device_id: z.string(), access_token: z.string() });

/** Afterwards `api` has the token. Throws `PlatformError` for what the operator has to change. */
export async function logIn(
  api: MatrixApi,
  host: Pick<AdapterHost, 'config' | 'notes'>,
  settings: MatrixSettings,
  signal: AbortSignal,
): Promise<Account> {
  const { token } = host.config;
  if (token !== undefined) {
    api.token = token;
    const me = await whoAmI(api, signal);
    return { userId: me.user_id, deviceId: me.device_id ?? settings.device_id };
  }
  const old = await oldLogin(api, host, settings, signal);
  return old.as === 'account' ? old.account : await newLogin(api, host, settings, old.device, signal);
}

/** Asks; an address that is only the name of the server leads to where its homeserver is. */
async function whoAmI(api: MatrixApi, signal: AbortSignal): Promise<z.infer<typeof wire.whoami>> {
  const ask = async () => await api.call('GET', '/client/v3/account/whoami', wire.whoami, { signal });
  try {
    return await ask();
  } catch (error) {
    if (!(await followWellKnown(api, error, signal))) throw refused(error);
    return await ask();
  }
}

/** `gone`: it has to be made anew; for a device whose keys are still good, where there is one. */
type OldLogin =
  | { readonly as: 'account'; readonly account: Account }
  | { readonly as: 'gone'; readonly device: string | undefined };

async function oldLogin(
  api: MatrixApi,
  { notes }: Pick<AdapterHost, 'notes'>,
  { user_id: userId, homeserver }: MatrixSettings,
  signal: AbortSignal,
): Promise<OldLogin> {
  const { data } = kept.safeParse(parseJson((await notes.get(note)) ?? ''));
  if (data === undefined || data.user_id !== userId || data.root !== homeserver)
    return { as: 'gone', device: undefined };
  api.token = data.access_token;
  try {
    await whoAmI(api, signal);
    return { as: 'account', account: { userId: data.user_id, deviceId: data.device_id } };
  } catch (error) {
    if (!(error instanceof PlatformError)) throw error;
    api.token = undefined;
    // A device that was logged out elsewhere is gone on the homeserver, and its keys with it.
    const kept = error.cause instanceof ApiError && error.cause.softLogout;
    return { as: 'gone', device: kept ? data.device_id : undefined };
  }
}

async function newLogin(
  api: MatrixApi,
  { notes }: Pick<AdapterHost, 'notes'>,
  { user_id: userId, password, device_id: wanted, homeserver = '' }: MatrixSettings,
  device: string | undefined,
  signal: AbortSignal,
): Promise<Account> {
  const deviceId = device ?? wanted;
  if (userId === undefined || password === undefined)
    throw new PlatformError(
      'matrix_wrong_token',
      'Neither MATRIX_ACCESS_TOKEN nor MATRIX_USER_ID and MATRIX_PASSWORD are set.',
      {
        retryable: false,
      },
    );
  const body = {
    type: 'm.login.password',
    identifier: { type: 'm.id.user', user: userId },
    password,
    initial_device_display_name: 'Hermes Agent',
    ...(deviceId === undefined ? {} : { device_id: deviceId }),
  };
  const ask = async () => await api.call('POST', '/client/v3/login', wire.login, { signal, body });
  let me: z.infer<typeof wire.login>;
  try {
    me = await ask();
  } catch (error) {
    if (!(await followWellKnown(api, error, signal))) throw refused(error);
    me = await ask();
  }
  api.token = me.access_token;
  const { user_id, device_id, access_token } = me;
  // Under the name that stands in the settings, so that it is found again.
  await notes.set(note, JSON.stringify({ root: homeserver, user_id: userId, device_id, access_token }));
  return { userId: user_id, deviceId: device_id };
}

function refused(error: unknown): unknown {
  return error instanceof ApiError && error.code !== undefined && [401, 403].includes(error.status)
    ? wrongToken(error)
    : error;
}

/** https://spec.matrix.org/latest/client-server-api/#well-known-uris */
async function followWellKnown(api: MatrixApi, error: unknown, signal: AbortSignal): Promise<boolean> {
  if (!(error instanceof ApiError) || error.code !== undefined || error.status !== 404) return false;
  const found = await api.wellKnown(signal);
  if (found === undefined || found === api.root) return false;
  api.root = found;
  return true;
}
