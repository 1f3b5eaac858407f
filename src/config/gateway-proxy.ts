/** Where the chats of the gateway are answered by another Hermes: its key. */
import { filled } from './env-values.ts';
import type { Variables } from './variables.ts';

/** It goes to the host of `gateway.proxy_url` alone. */
export function gatewayProxyKey(env: Variables): string | undefined {
  return filled(env['GATEWAY_PROXY_KEY']);
}
