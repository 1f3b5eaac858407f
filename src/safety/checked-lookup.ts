/** Resolves names for connections that may not go everywhere: what was checked is what is connected to. */
import { lookup as systemLookup } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';

/**
 * Fails with what `refuse` throws for any address of a name, so that a name which means several hosts gains nothing.
 * Addresses that are written as numbers are never looked up: check them before.
 */
export function checkedLookup(
  refuse: (address: string) => void,
  lookup: LookupFunction = systemLookup,
): LookupFunction {
  return (hostname, options, callback) => {
    lookup(hostname, { ...options, all: true }, (error, found) => {
      if (error !== null) return callback(error, '', 0);
      const addresses = Array.isArray(found) ? found : [{ address: found, family: isIP(found) }];
      const [first] = addresses;
      try {
        if (first === undefined) throw new Error(`the name ${hostname} does not resolve`);
        for (const { address } of addresses) refuse(address);
      } catch (refusal) {
        return callback(refusal instanceof Error ? refusal : new Error(String(refusal)), '', 0);
      }
      if (options.all === true) return callback(null, addresses);
      return callback(null, first.address, first.family);
    });
  };
}
