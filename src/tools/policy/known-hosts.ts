/** Whom this session may talk to without a question: hosts that the person named, and those where packages come from. */
import type { Confinement, HostGate } from '../../environments/environment.ts';
import type { HistoryMessage } from '../../llm/message.ts';
import { isStrange, type Source } from '../../llm/source.ts';
import { type HostName, hostText, isPackageHost, parseHost } from '../../safety/hosts.ts';
import { SaidHosts } from './said-hosts.ts';
import { ToldValues } from './told-values.ts';

const maxAllowed = 500;
const everybody: HostGate = { allows: () => true };

/**
 * A host stands for all its ports; one that was named with a port for that port alone. Hosts of this machine are never
 * known without their port: another program listens on each.
 */
export class KnownHosts implements HostGate {
  readonly said = new SaidHosts();
  readonly told = new ToldValues();
  /** Where the text came from that the conversation holds; whoever opens the session sets it. */
  entered: () => readonly Source[] = () => [];
  readonly #configured: () => readonly string[];
  readonly #allowed = new Set<string>();

  /** `configured`: registries and mirrors that this machine is set up with; `*.name` is all below a name. */
  constructor(configured: () => readonly string[]) {
    this.#configured = configured;
  }

  /**
   * Whom confined commands may talk to (`terminal.sandbox_network`): everybody, until text has entered that may be a
   * stranger's; from then on who is known. A list of the owner's is all there is, but for what they say yes to. With `on`
   * there is one network for all of a session, so that a server that was started in it is found later on.
   */
  networkFor(setting: 'on' | 'open' | 'off' | readonly string[]): Confinement['network'] {
    if (setting === 'off') return 'none';
    if (typeof setting !== 'string') return { allows: (host, port) => this.#isNamed(setting, host, port) };
    if (this.hasStrangeText) return this;
    return setting === 'open' ? 'open' : everybody;
  }

  get hasStrangeText(): boolean {
    return this.entered().some((source) => isStrange(source, 'files'));
  }

  /** To be told every message, also those of a conversation that is continued. */
  hear(message: HistoryMessage): void {
    this.said.hear(message);
    this.told.hear(message);
  }

  /** Whom the conversation that this one works for may talk to. */
  inherit(from: KnownHosts): void {
    this.said.inherit(from.said);
    this.told.inherit(from.told);
    for (const host of from.#allowed) this.#allowed.add(host);
  }

  /** Somebody said yes to it; holds for the session. */
  allow(host: string, port?: number): void {
    this.#allowed.add(hostText(port === undefined ? { host } : { host, port }));
    const [oldest] = this.#allowed;
    if (this.#allowed.size > maxAllowed && oldest !== undefined) this.#allowed.delete(oldest);
  }

  allows(host: string, port?: number): boolean {
    const name = host.toLowerCase().replace(/\.$/, '');
    if (isPackageHost(name) || this.#isNamed(this.#configured(), name, port)) return true;
    const fits = (known: HostName): boolean =>
      known.host === name && (known.port === undefined ? isUsual(name, port) : known.port === port);
    for (const known of this.said) if (fits(known)) return true;
    return false;
  }

  #isNamed(entries: readonly string[], host: string, port: number | undefined): boolean {
    const texts = [hostText({ host }), ...(port === undefined ? [] : [hostText({ host, port })])];
    return texts.some((text) => this.#allowed.has(text)) || entries.some((entry) => matches(entry, host, port));
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
