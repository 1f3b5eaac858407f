/** Hosts that nobody else than the person or the model can have chosen. */

const maxTrusted = 500;

export class TrustedHosts {
  readonly #hosts = new Set<string>();

  add(host: string): void {
    if (this.#hosts.size < maxTrusted) this.#hosts.add(withoutWww(host));
  }

  has(host: string): boolean {
    return this.#hosts.has(withoutWww(host));
  }
}

function withoutWww(host: string): string {
  return host.toLowerCase().replace(/^www\./, '');
}
