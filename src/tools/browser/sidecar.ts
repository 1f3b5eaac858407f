/** A browser of this machine beside one that is elsewhere, from where this machine and its network are not reached. */
import { isPrivateHost } from './private-host.ts';

export class Sidecar<Session> {
  readonly #make: () => Session;
  #made: Session | undefined;

  constructor(make: () => Session) {
    this.#make = make;
  }

  get made(): Session | undefined {
    return this.#made;
  }

  /** For addresses that only this machine reaches; undefined for all others. */
  for({ hostname }: URL): Session | undefined {
    return isPrivateHost(hostname) ? (this.#made ??= this.#make()) : undefined;
  }
}
