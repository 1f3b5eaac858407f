/** Finds a host where its name cannot be resolved, or leads to addresses that do not answer. */
import { lookup as systemLookup } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';

/** The addresses of `host` are tried first; what stands there is proven by its certificate, whichever address it has. */
export function lookupWithFallback(
  host: string,
  addresses: readonly string[],
  lookup: LookupFunction = systemLookup,
): LookupFunction {
  return (hostname, options, resolve) => {
    if (hostname !== host) return lookup(hostname, options, resolve);
    lookup(hostname, { ...options, all: true }, (error, found) => {
      const known = error !== null || !Array.isArray(found) ? [] : found;
      const more = addresses.filter((address) => known.every((one) => one.address !== address));
      const all = [...known, ...more.map((address) => ({ address, family: isIP(address) }))];
      const [first] = all;
      if (first === undefined) resolve(error, '');
      else if (options.all === true) resolve(null, all);
      else resolve(null, first.address, first.family);
    });
  };
}
