/** Which web addresses may be asked on behalf of a model or a page: never those of this machine or the network around it. */
import { BlockList, isIP } from 'node:net';

/**
 * True for addresses that are not on the public internet: loopback, private, link-local, shared, multicast, reserved.
 * https://www.iana.org/assignments/iana-ipv4-special-registry, https://www.iana.org/assignments/iana-ipv6-special-registry
 */
export function isPrivateAddress(address: string): boolean {
  return isIn(privateSubnets, address);
}

/**
 * Why a web address is refused before any name is looked up; `undefined` when nothing speaks against it. With
 * `allowPrivate` (`security.allow_private_urls`) the network around this machine may be asked; addresses where a cloud
 * hands its machines their credentials may not even then.
 */
export function refuseWebAddress(text: string, { allowPrivate = false } = {}): string | undefined {
  const url = URL.parse(text);
  if (url === null) return 'not a valid web address';
  if (url.protocol !== 'http:' && url.protocol !== 'https:') return 'only http and https addresses can be read';
  if (url.username !== '' || url.password !== '') return 'web addresses with a name or password in them are not read';
  const host = url.hostname.toLowerCase().replace(/\.$/, '');
  if (host === '' || metadataNames.test(host)) return refusals.metadata;
  if (!allowPrivate && localNames.test(host)) return refusals.private;
  return refuseAddress(host, { allowPrivate });
}

/** Why no connection to an IP address is made; `undefined` when it may be, and for everything that is no IP address. */
export function refuseAddress(address: string, { allowPrivate = false } = {}): string | undefined {
  if (isIn(metadataSubnets, address)) return refusals.metadata;
  return !allowPrivate && isPrivateAddress(address) ? refusals.private : undefined;
}

/** True for a refusal of these functions that is about where an address leads, not about how it is written. */
export function isAboutNetwork(refusal: string): boolean {
  return refusal === refusals.private || refusal === refusals.metadata;
}

const refusals = {
  private: 'addresses of this machine and its network are not read',
  metadata: 'link-local addresses and metadata services are never read',
} as const;

/** Names that never mean a public server; a name without a dot is one of the local network. */
const localNames = /(?:^|\.)(?:localhost|local|internal|intranet|lan|home\.arpa)$|^[^.:[\]]+$/;

const metadataNames = /^metadata\.(?:google\.internal|goog)$/;

type Subnet = readonly [net: string, prefix: number, family: 'ipv4' | 'ipv6'];

/** Link-local, also behind NAT64 and 6to4, and the addresses that clouds use outside of it. */
const metadataSubnets: readonly Subnet[] = [
  ['169.254.0.0', 16, 'ipv4'],
  ['100.100.100.200', 32, 'ipv4'],
  ['64:ff9b::a9fe:0', 112, 'ipv6'],
  ['2002:a9fe::', 32, 'ipv6'],
  ['fd00:ec2::254', 128, 'ipv6'],
  ['fd20:ce::254', 128, 'ipv6'],
  ['fe80::', 10, 'ipv6'],
];

const privateSubnets: readonly Subnet[] = [
  ['0.0.0.0', 8, 'ipv4'],
  ['10.0.0.0', 8, 'ipv4'],
  ['100.64.0.0', 10, 'ipv4'],
  ['127.0.0.0', 8, 'ipv4'],
  ['169.254.0.0', 16, 'ipv4'],
  ['172.16.0.0', 12, 'ipv4'],
  ['192.0.0.0', 24, 'ipv4'],
  ['192.0.2.0', 24, 'ipv4'],
  ['192.168.0.0', 16, 'ipv4'],
  ['198.18.0.0', 15, 'ipv4'],
  ['198.51.100.0', 24, 'ipv4'],
  ['203.0.113.0', 24, 'ipv4'],
  ['224.0.0.0', 3, 'ipv4'],
  ['::', 96, 'ipv6'],
  ['64:ff9b::', 96, 'ipv6'],
  ['64:ff9b:1::', 48, 'ipv6'],
  ['100::', 64, 'ipv6'],
  ['2001::', 32, 'ipv6'],
  ['2001:db8::', 32, 'ipv6'],
  ['2002::', 16, 'ipv6'],
  ['fc00::', 7, 'ipv6'],
  ['fe80::', 10, 'ipv6'],
  ['fec0::', 10, 'ipv6'],
  ['ff00::', 8, 'ipv6'],
];

/** IPv4 rules hold for IPv4 addresses written as IPv6 too. */
function isIn(subnets: readonly Subnet[], address: string): boolean {
  const plain = address.replace(/^\[|\]$/g, '').replace(/%.*$/, '');
  const family = isIP(plain);
  if (family === 0) return false;
  const list = new BlockList();
  for (const [net, prefix, kind] of subnets) list.addSubnet(net, prefix, kind);
  return list.check(plain, family === 6 ? 'ipv6' : 'ipv4');
}
