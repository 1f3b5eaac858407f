/** Which TCP ports somebody listens on, as Linux tells it. */
import { readFile } from 'node:fs/promises';

/** State LISTEN in the fourth column; https://www.kernel.org/doc/Documentation/networking/proc_net_tcp.txt */
const listening = '0A';
const loopbackOrAny = /^(?:0100007F|00000000|0{32}|0{24}01000000|0{16}FFFF00000100007F)$/i;

/**
 * Ports that can be reached through loopback, in the network that the process `pid` lives in; `self` is ours. Empty where
 * the system does not tell.
 */
export async function listeningPorts(pid: number | 'self'): Promise<ReadonlySet<number>> {
  const tables = await Promise.all(['tcp', 'tcp6'].map((name) => tableOf(`/proc/${pid}/net/${name}`)));
  return new Set(
    tables.flatMap((table) =>
      table.split('\n').flatMap((line) => {
        const [, local = '', , state] = line.trim().split(/\s+/);
        const [address = '', port = ''] = local.split(':');
        return state === listening && loopbackOrAny.test(address) ? [Number.parseInt(port, 16)] : [];
      }),
    ),
  );
}

async function tableOf(path: string): Promise<string> {
  // No such file: another system, or the process has ended.
  return await readFile(path, 'utf8').catch(() => '');
}
