/** The proxies that the environment names, as curl and the original read them. */
import type { Proxies } from '../lib/proxies.ts';
import { filled } from './env-values.ts';
import type { Variables } from './variables.ts';

/** `HTTPS_PROXY`, `HTTP_PROXY`, `ALL_PROXY` for what these leave open, and `NO_PROXY`, in either case. */
export function proxyVariables(variables: Variables): Proxies {
  const named = (name: string) => filled(variables[name]) ?? filled(variables[name.toUpperCase()]);
  const all = named('all_proxy');
  const [https, http, except] = [named('https_proxy') ?? all, named('http_proxy') ?? all, named('no_proxy')];
  return {
    ...(https === undefined ? {} : { https }),
    ...(http === undefined ? {} : { http }),
    ...(except === undefined ? {} : { except }),
  };
}
