/** Which hosts are this machine or its own network. */
import { BlockList, isIP } from 'node:net';
import { isSocketHost } from './socket-address.ts';

/** True for sockets, loopback, unspecified, private and link-local addresses and the names of this machine. */
export function isLocalHost(hostname: string): boolean {
  if (isSocketHost(hostname)) return true;
  const host = hostname.replace(/^\[|\]$/g, '').toLowerCase();
  if (host === 'localhost' || host.endsWith('.localhost')) return true;
  const family = isIP(host);
  return family !== 0 && localNetworks.check(host, family === 6 ? 'ipv6' : 'ipv4');
}

const localNetworks = listLocalNetworks();

function listLocalNetworks(): BlockList {
  const networks = new BlockList();
  networks.addAddress('0.0.0.0');
  networks.addSubnet('127.0.0.0', 8);
  networks.addSubnet('10.0.0.0', 8);
  networks.addSubnet('172.16.0.0', 12);
  networks.addSubnet('192.168.0.0', 16);
  networks.addSubnet('169.254.0.0', 16);
  networks.addAddress('::1', 'ipv6');
  networks.addAddress('::', 'ipv6');
  networks.addSubnet('fe80::', 10, 'ipv6');
  networks.addSubnet('fc00::', 7, 'ipv6');
  return networks;
}
