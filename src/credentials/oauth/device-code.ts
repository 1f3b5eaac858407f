/**
 * Logins on another device: a code is shown, and the service is asked until the person has agreed.
 * https://www.rfc-editor.org/rfc/rfc8628
 */
import type { DeviceAuthorizationResponse } from 'oauth4webapi';
import { askForDevice, type Granted, type Grantor, partiesOf } from './grants.ts';
import type { LoginOptions } from './login.ts';
import { pollUntilGranted } from './poll.ts';
import { garbled } from './service-error.ts';
import { showUserCode } from './show-code.ts';
import { readObject } from './wire.ts';

export interface DeviceFlow extends Grantor {
  readonly deviceEndpoint: string;
  readonly scope: string;
}

/** Throws `UserError` when the person declines or is too late, and `ServiceError` when the service will not. */
export async function deviceCodeLogin(flow: DeviceFlow, options: LoginOptions): Promise<Granted> {
  const { wire } = flow;
  const { signal } = options;
  const device = await askForCode(flow, signal);
  const deadline = wire.now() + Math.min(device.expires_in, maxSeconds) * 1000;
  await showUserCode(flow, options, {
    url: device.verification_uri,
    completeUrl: device.verification_uri_complete ?? device.verification_uri,
    userCode: device.user_code,
    expiresInSeconds: device.expires_in,
  });
  return await pollUntilGranted(flow, {
    intervalMs: (device.interval ?? 5) * 1000,
    deadline,
    signal,
    ask: async () => await askForDevice(flow, device.device_code, signal),
  });
}

/** No service keeps a code open for longer, and no terminal should wait for it. */
const maxSeconds = 1800;

async function askForCode(flow: DeviceFlow, signal: AbortSignal): Promise<DeviceAuthorizationResponse> {
  const oauth = await import('oauth4webapi');
  const { server, client } = partiesOf(flow);
  const scope = flow.scope === '' ? {} : { scope: flow.scope };
  const response = await oauth.deviceAuthorizationRequest(server, client, oauth.None(), scope, {
    signal,
    [oauth.customFetch]: flow.wire.fetch,
  });
  const asked = { service: flow.wire.service, url: flow.deviceEndpoint, secrets: [] };
  const { interval, ...body } = await readObject(response, asked);
  const seconds = Number(interval);
  try {
    // Not every service keeps to a positive number here, and the pace is ours to bound anyway.
    const even = seconds > 0 ? { ...body, interval: seconds } : body;
    return await oauth.processDeviceAuthorizationResponse(server, client, Response.json(even));
  } catch {
    // What the library throws holds the answer, and the answer holds codes.
    throw garbled(flow.wire.service, new URL(flow.deviceEndpoint).host, 200, 'no code to show');
  }
}
