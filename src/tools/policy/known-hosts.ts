/** Whom this session may talk to without a question: hosts that the person named, and those where packages come from. */
import type { HostGate } from '../../environments/environment.ts';
import { type HostName, hostText, isPackageHost, parseHost } from '../../safety/hosts.ts';
import { SaidHosts } from './said-hosts.ts';

const maxAllowed = 500;

/**
 * A host stands for all its ports; one that was named with a port for that port alone. Hosts of this machine are never
 * known without their port: another program listens on each.
 */
export class KnownHosts implements HostGate {
  /** To be told what the person says. */
  readonly said = new SaidHosts();
  readonly #configured: () => readonly string[];
  readonly #allowed = new Set<string>();

  /** `configured`: hosts that settings name, and registries that this machine is set up with; `*.name` is all below a name. */
  constructor(configured: () => readonly string[]) {
    this.#configured = configured;
  }

  /** Somebody said yes to it; holds for the session. */
  allow(host: string, port?: number): void {
    this.#allowed.add(hostText(port === undefined ? { host } : { host, port }));
    const [oldest] = this.#allowed;
    if (this.#allowed.size > maxAllowed && oldest !== undefined) this.#allowed.delete(oldest);
  }

  allows(host: string, port?: number): boolean {
    const name = host.toLowerCase().replace(/\.$/, '');
    if (isPackageHost(name)) return true;
    const texts = new Set([hostText({ host: name }), ...(port === undefined ? [] : [hostText({ host: name, port })])]);
    if ([...texts].some((text) => this.#allowed.has(text))) return true;
    const fits = (known: HostName): boolean =>
      known.host === name && (known.port === undefined ? isUsual(name, port) : known.port === port);
    for (const known of this.said) if (fits(known)) return true;
    return this.#configured().some((entry) => matches(entry, name, port));
  }
}

function isUsual(host: string, port: number | undefined): boolean {
  return !isThisMachine(host) || port === undefined || port === 80 || port === 443;
}

/** Names and addresses of the machine itself. */
function isThisMachine(host: string): boolean {
  return host === 'localhost' || host.endsWith('.localhost') || host === '::1' || /^(?:127\.|0\.0\.0\.0$)/.test(host);
}

/** `*.example.com` means everything below it. */
function matches(entry: string, host: string, port: number | undefined): boolean {
  const below = /^\*\.(.+)$/.exec(entry.toLowerCase())?.[1];
  if (below !== undefined) return host.endsWith(`.${below}`);
  const known = parseHost(entry.toLowerCase());
  return known?.host === host && (known.port === undefined || known.port === port);
}
