/** How tests reach the web: nowhere, or services on this machine. */
import { webVariables } from '../../../src/config/web-variables.ts';
import { FoundAddresses } from '../../../src/tools/web/found-addresses.ts';
import type { WebAccess } from '../../../src/tools/web/web-access.ts';

/** Nothing is set up, and nothing is asked. */
export function noWeb(): WebAccess {
  return {
    variables: webVariables({}),
    firecrawl: { kind: 'none' },
    fetch: (url) => Promise.reject(new Error(`the test asked ${url}`)),
    proxies: {},
    xai: { isThere: () => false, take: () => Promise.resolve(undefined) },
    sleep: () => Promise.resolve(),
    found: new FoundAddresses(),
    blocked: { find: () => undefined },
  };
}
