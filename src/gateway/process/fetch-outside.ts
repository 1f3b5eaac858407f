/** Fetches addresses that came with a message: through the one way out to the web, which checks them. */
import { getOutbound } from '../../tools/web/outbound.ts';
import type { Proxies } from '../../lib/proxies.ts';

export interface FetchOutsideOptions {
  readonly proxies?: Proxies;
  readonly maxBytes: number;
}

const timeoutMs = 30_000;

/** Only GET; nothing that the caller asks for besides the address is sent. */
export function fetchOutside({ proxies, maxBytes }: FetchOutsideOptions): typeof fetch {
  return async (input, init) => {
    const address = input instanceof Request ? input.url : String(input);
    const signal = init?.signal ?? AbortSignal.timeout(timeoutMs);
    const { status, body, headers } = await getOutbound(address, {
      signal,
      timeoutMs,
      maxBytes,
      ...(proxies === undefined ? {} : { proxies }),
    });
    const type = headers['content-type'];
    return new Response(Uint8Array.from(body), { status, headers: type === undefined ? {} : { 'content-type': type } });
  };
}
