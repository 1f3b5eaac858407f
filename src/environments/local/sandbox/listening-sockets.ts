/** Where programs of this machine listen in the file system: whoever reaches such a socket has its owner do things. */
import { readFileSync } from 'node:fs';

/** Nobody has so many; what is beyond is not looked at, so the oldest come first. */
const maxSockets = 2000;

/**
 * Absolute paths, as they were when the sockets were made. Only those of our own network: what confined programs open for
 * each other is not among them. Empty where the system does not tell.
 */
export function listeningSockets(): readonly string[] {
  // Number, references, protocol, flags, type, state, inode, path; see unix(7). The path may hold spaces.
  const found = table().matchAll(/^\S+: \S+ \S+ (\S+) (\S+) \S+\s+\d+ (\/.*)$/gm);
  return [...found]
    .filter(([, flags, type]) => flags === listens || type === datagram)
    .map(([, , , path = '']) => path)
    .slice(0, maxSockets);
}

const listens = '00010000';
const datagram = '0002';

function table(): string {
  try {
    return readFileSync('/proc/net/unix', 'utf8');
  } catch {
    // Another system, or a kernel without them.
    return '';
  }
}
