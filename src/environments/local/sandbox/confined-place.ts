/** The confined side of one environment: its sandboxes, its shell, and what passes between that shell and the one outside. */
import type { Log } from '../../../lib/log.ts';
import { errorMessage, UserError } from '../../../lib/errors.ts';
import type { Confinement, Withheld } from '../../environment.ts';
import type { OwnProcesses } from '../own-processes.ts';
import { ShellKeeper, type ShellKeeperOptions } from '../shell-keeper.ts';
import type { ShellSession } from '../shell-session.ts';
import { CarriedState } from './carried-state.ts';
import type { LinuxSandbox } from './linux-sandbox.ts';
import type { SandboxPlaces } from './places.ts';
import { Sandboxes, type SandboxNetwork } from './sandboxes.ts';
import { withheldIn } from './withheld.ts';

export interface ConfinedPlaceOptions {
  readonly places: () => SandboxPlaces;
  /** The shells that run with all rights of the person. */
  readonly outside: ShellKeeper;
  readonly shell: Omit<ShellKeeperOptions, 'enclosure'>;
  readonly processes: OwnProcesses;
  readonly signal: AbortSignal;
  readonly log: Log;
}

export class ConfinedPlace {
  readonly shells: ShellKeeper;
  readonly #options: ConfinedPlaceOptions;
  readonly #sandboxes: Sandboxes;
  readonly #carried: CarriedState;
  #network: SandboxNetwork = 'open';
  #present: LinuxSandbox | undefined;

  constructor(options: ConfinedPlaceOptions) {
    const { places, outside, processes, signal, log } = options;
    this.#options = options;
    this.#sandboxes = new Sandboxes({
      places,
      scratch: processes.scratch,
      watch: (pid) => processes.guard(pid),
      signal,
      log,
    });
    this.shells = new ShellKeeper({
      ...options.shell,
      enclosure: {
        folder: this.#sandboxes.inside,
        prefix: async () => (await this.#sandboxes.enter(this.#network)).prefix,
        firstState: () => outside.latestState(),
      },
    });
    this.#carried = new CarriedState(outside, this.shells);
  }

  get isAltered(): boolean {
    return this.#carried.isAltered;
  }

  /** Why nothing can be confined here, with what to do about it. */
  async problem(): Promise<string | undefined> {
    try {
      await this.#sandboxes.enter(this.#network);
      return undefined;
    } catch (error) {
      this.#options.log.warning('commands cannot be confined', error);
      return error instanceof UserError && error.hint !== undefined
        ? `${error.message} ${error.hint}`
        : errorMessage(error);
    }
  }

  /**
   * To be called before a command. Another network needs another sandbox, whose shell begins with the state of the last.
   * @throws UserError where it cannot be confined
   */
  async prepare({ network }: Confinement): Promise<LinuxSandbox> {
    this.#network = network === 'open' ? 'open' : 'none';
    const sandbox = await this.#sandboxes.enter(this.#network);
    if (this.#present !== undefined && this.#present !== sandbox) await this.shells.renew();
    if (this.#present === undefined) this.#carried.begin((await this.#options.outside.latestState()).exports);
    this.#present = sandbox;
    return sandbox;
  }

  /** What a command was kept from, as far as its output tells. */
  withheld(output: string, cwd: string, { network }: Confinement): readonly Withheld[] {
    const { hidden, readOnly } = this.#options.places();
    return withheldIn(output, { cwd, hidden, readOnly, reachesHosts: network === 'open' });
  }

  takeInside(shell: ShellSession): Promise<void> {
    return this.#carried.takeInside(shell);
  }

  /** A command outside may have replaced what is kept from those inside. */
  async takeOutside(shell: ShellSession): Promise<void> {
    await Promise.all([this.#sandboxes.refresh(), this.#carried.takeOutside(shell)]);
  }

  /** For after everything inside was asked to end. */
  close(): Promise<void> {
    return this.#sandboxes.close();
  }
}
