/** The key of `hermes proxy`: what programs of this machine have to send. */
import type { Variables } from './variables.ts';

export const proxyKeyVariable = 'HERMES_PROXY_TOKEN';

/** Empty when there is none. */
export function proxyKey(env: Variables): string {
  return env[proxyKeyVariable]?.trim() ?? '';
}
