/** Which TCP ports somebody listens on, as Linux tells it. */
import { readdir, readFile, readlink } from 'node:fs/promises';

/** State LISTEN in the fourth column; https://www.kernel.org/doc/Documentation/networking/proc_net_tcp.txt */
const listening = '0A';
const loopbackOrAny = /^(?:0100007F|00000000|0{32}|0{24}01000000|0{16}FFFF00000100007F)$/i;

/**
 * Ports that can be reached through loopback, in the network that the process `pid` lives in; `self` is ours. Empty where
 * the system does not tell.
 */
export async function listeningPorts(pid: number | 'self'): Promise<ReadonlySet<number>> {
  return new Set((await listeners(pid)).map(({ port }) => port));
}

/** Those of this process. */
export async function ownListeningPorts(): Promise<ReadonlySet<number>> {
  const [all, fds] = await Promise.all([listeners('self'), readdir('/proc/self/fd').catch(() => [])]);
  const opened = await Promise.all(fds.map((fd) => readlink(`/proc/self/fd/${fd}`).catch(() => '')));
  const own = new Set(opened);
  return new Set(all.filter(({ inode }) => own.has(`socket:[${inode}]`)).map(({ port }) => port));
}

interface Listener {
  readonly port: number;
  readonly inode: string;
}

async function listeners(pid: number | 'self'): Promise<readonly Listener[]> {
  const tables = await Promise.all(['tcp', 'tcp6'].map((name) => tableOf(`/proc/${pid}/net/${name}`)));
  return tables.flatMap((table) =>
    table.split('\n').flatMap((line) => {
      const [, local = '', , state, , , , , , inode = ''] = line.trim().split(/\s+/);
      const [address = '', port = ''] = local.split(':');
      return state === listening && loopbackOrAny.test(address) ? [{ port: Number.parseInt(port, 16), inode }] : [];
    }),
  );
}

async function tableOf(path: string): Promise<string> {
  // No such file: another system, or the process has ended.
  return await readFile(path, 'utf8').catch(() => '');
}
