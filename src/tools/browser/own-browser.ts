/** What browsers that are started here have in common: the proxy that is their only way out, and a folder that goes with them. */
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import type { LookupFunction } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type EgressProxy, openEgressProxy } from '../../environments/local/sandbox/egress-proxy.ts';
import { ownListeningPorts } from '../../environments/local/sandbox/listening-ports.ts';
import type { Proxies } from '../../lib/proxies.ts';
import { isRunning } from '../../lib/is-running.ts';
import type { NetworkRules } from './network-rules.ts';

export interface OwnNetwork {
  /** How this machine reaches the world. */
  readonly proxies: Proxies;
  /** Resolves names; default: the system's resolver. */
  readonly lookup?: LookupFunction;
  /** Ports where this program listens itself, which no page reaches; default: as the system tells. */
  readonly ownPorts?: () => Promise<ReadonlySet<number>>;
}

export interface BrowserProxy extends EgressProxy {
  /** Of 127.0.0.1. */
  readonly port: number;
}

export interface BrowserProxyOptions {
  readonly rules: Pick<NetworkRules, 'mayBePrivate' | 'refused'>;
  /** What the browser shows as its password. */
  readonly token: string;
  /** A name that leads nowhere: told when it was asked for. */
  readonly probe?: { readonly host: string; readonly seen: () => void };
}

const folderName = 'hermes-browser-';

/** It looks every name up once and connects to what was looked at. */
export async function openBrowserProxy(
  { proxies, lookup, ownPorts: findPorts = ownListeningPorts }: OwnNetwork,
  { rules, token, probe }: BrowserProxyOptions,
): Promise<BrowserProxy> {
  let ownPorts: ReadonlySet<number> = new Set();
  const proxy = await openEgressProxy({
    gate: { allows: (host) => host !== probe?.host },
    mayBePrivate: (host) => rules.mayBePrivate(host),
    ownPorts: () => ownPorts,
    proxies,
    token,
    ...(lookup === undefined ? {} : { lookup }),
    onRefused: (host, port, why) => {
      if (host === probe?.host) probe.seen();
      else rules.refused(host, port, why);
    },
  });
  ownPorts = await findPorts();
  return { ...proxy, port: proxy.port ?? 0 };
}

/** A folder of this process; those that a killed one left go. */
export async function ownFolder(): Promise<string> {
  const root = tmpdir();
  const old = (await readdir(root)).flatMap((name) => {
    const pid = /^hermes-browser-(\d+)-/.exec(name)?.[1];
    return pid === undefined || isRunning(Number(pid)) ? [] : [join(root, name)];
  });
  await Promise.all(old.map((folder) => rm(folder, { recursive: true, force: true }).catch(() => undefined)));
  return await mkdtemp(join(root, `${folderName}${process.pid}-`));
}
