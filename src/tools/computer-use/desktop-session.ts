/** The desktop as one session sees it: opened by its first use. */
import type { Desktop } from './desktop.ts';

export class DesktopSession {
  readonly #make: () => Promise<Desktop>;
  #making: Promise<Desktop> | undefined;
  #desktop: Desktop | undefined;

  /** `make` must start nothing that is not used. */
  constructor(make: () => Promise<Desktop>) {
    this.#make = make;
  }

  /** Undefined before its first use. */
  get desktop(): Desktop | undefined {
    return this.#desktop;
  }

  async open(): Promise<Desktop> {
    this.#making ??= this.#make();
    this.#desktop = await this.#making;
    return this.#desktop;
  }

  /** Must not reject. */
  async close(): Promise<void> {
    await this.#desktop?.close();
  }
}
