/** Which hosts lie in the network around this machine, as far as their names tell. */
import { isIP } from 'node:net';
import { isPrivateAddress, refuseWebAddress } from '../../safety/web-address.ts';

/** By its name alone; what a name of the internet leads to is looked at where the connection is made. */
export function isPrivateHost(hostname: string): boolean {
  const host = plainHost(hostname);
  if (isIP(host) !== 0) return isPrivateAddress(host);
  return refuseWebAddress(`http://${host}/`) !== undefined;
}

/** In small letters, without the brackets of an address and the dot at the end of a name. */
export function plainHost(hostname: string): string {
  return hostname
    .replace(/^\[|\]$/g, '')
    .replace(/\.$/, '')
    .toLowerCase();
}
